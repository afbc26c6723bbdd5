"""Numbers of Linux system calls: x86_64, then the generic table that aarch64 uses; `-` where a call is not there.

Facts of the kernel's interface (include/uapi/asm-generic/unistd.h, arch/x86/entry/syscalls/syscall_64.tbl); they
never change once given out.
"""

from __future__ import annotations

import platform

_COLUMN = {"x86_64": 1, "aarch64": 2, "arm64": 2}
HIGHEST = 467
"""The newest number known here; what comes later is told to be missing, so that libraries use the older call."""

_HARMLESS = """
read 0 63, write 1 64, close 3 57, stat 4 -, fstat 5 80, lstat 6 -, poll 7 -, lseek 8 62, mmap 9 222,
mprotect 10 226, munmap 11 215, brk 12 214, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139,
pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66, access 21 -, pipe 22 -, select 23 -,
sched_yield 24 124, mremap 25 216, msync 26 227, dup 32 23, dup2 33 -, pause 34 -, nanosleep 35 101,
getitimer 36 102, alarm 37 -, setitimer 38 103, getpid 39 172, sendfile 40 71, sendto 44 206, recvfrom 45 207,
sendmsg 46 211, recvmsg 47 212, shutdown 48 210, getsockopt 55 209, setsockopt 54 208, getsockname 51 204,
getpeername 52 205, exit 60 93, wait4 61 260, uname 63 160, flock 73 32, fsync 74 82, fdatasync 75 83,
ftruncate 77 46, getdents 78 -, getcwd 79 17, chdir 80 49, fchdir 81 50, rename 82 -, mkdir 83 -, rmdir 84 -,
link 86 -, unlink 87 -, symlink 88 -, readlink 89 -, umask 95 166, gettimeofday 96 169, getrlimit 97 163,
getrusage 98 165, sysinfo 99 179, times 100 153, getuid 102 174, getgid 104 176, geteuid 107 175,
getegid 108 177, getppid 110 173, getpgrp 111 -, setsid 112 157, getgroups 115 158, getresuid 118 148,
getresgid 120 150, getpgid 121 155, getsid 124 156, capget 125 90, rt_sigpending 127 136,
rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132, statfs 137 43, fstatfs 138 44,
getpriority 140 141, sched_getparam 143 121, sched_getscheduler 145 120, sched_get_priority_max 146 125,
sched_get_priority_min 147 126, sched_rr_get_interval 148 127, arch_prctl 158 -, gettid 186 178, getxattr 191 8,
lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13, time 201 -,
futex 202 98, sched_getaffinity 204 123, epoll_create 213 -, getdents64 217 61, set_tid_address 218 96,
restart_syscall 219 128, timer_create 222 107, timer_settime 223 110, timer_gettime 224 108,
timer_getoverrun 225 109, timer_delete 226 111, clock_gettime 228 113, clock_getres 229 114,
clock_nanosleep 230 115, exit_group 231 94, epoll_wait 232 -, epoll_ctl 233 21, waitid 247 95, mkdirat 258 34,
newfstatat 262 79, unlinkat 263 35, renameat 264 38, linkat 265 37, symlinkat 266 36, readlinkat 267 78,
faccessat 269 48, pselect6 270 72, ppoll 271 73, set_robust_list 273 99, get_robust_list 274 100, splice 275 76,
tee 276 77, sync_file_range 277 84, epoll_pwait 281 22, signalfd 282 -, timerfd_create 283 85, eventfd 284 -,
fallocate 285 47, timerfd_settime 286 86, timerfd_gettime 287 87, signalfd4 289 74, eventfd2 290 19,
epoll_create1 291 20, dup3 292 24, pipe2 293 59, preadv 295 69, pwritev 296 70, getcpu 309 168,
sched_getattr 315 275, renameat2 316 276, seccomp 317 277, getrandom 318 278, membarrier 324 283, mlock 149 228,
mlock2 325 284, munlock 150 229, copy_file_range 326 285, pkey_alloc 330 289, pkey_free 331 290,
pkey_mprotect 329 288, statx 332 291, rseq 334 293, close_range 436 436, faccessat2 439 439,
epoll_pwait2 441 441, futex_waitv 449 449, map_shadow_stack 453 453, futex_wake 454 454, futex_wait 455 455,
futex_requeue 456 456, mseal 462 462, landlock_create_ruleset 444 444, landlock_add_rule 445 445,
landlock_restrict_self 446 446, setrlimit 160 164, inotify_rm_watch 255 28,
"""
_JUDGED = """
clone 56 220, fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, kill 62 129, tkill 200 130,
tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, pidfd_send_signal 424 424,
pidfd_open 434 434, prlimit64 302 261, sched_setaffinity 203 122, setpriority 141 140, setpgid 109 154,
chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -,
fchownat 260 54, utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, inotify_init 253 -,
inotify_init1 294 26, inotify_add_watch 254 27, fcntl 72 25, ioctl 16 29, prctl 157 167, mknod 133 -,
mknodat 259 33, socket 41 198, socketpair 53 199, connect 42 203, bind 49 200, listen 50 201, accept 43 202,
accept4 288 242, clone3 435 435, memfd_create 319 279, io_uring_setup 425 425, truncate 76 45, creat 85 -,
open 2 -, openat 257 56, openat2 437 437, mincore 27 232, madvise 28 233, sync 162 81, readahead 187 213,
fadvise64 221 223, syncfs 306 267, preadv2 327 286, pwritev2 328 287, cachestat 451 451,
"""
_SETUP = """
capset 126 91, pivot_root 155 41, mount_setattr 442 442, setns 308 268, unshare 272 97, mount 165 40,
umount2 166 39,
"""


def _table(text: str) -> dict[str, int]:
    column = _COLUMN.get(platform.machine())
    rows = [row.split() for row in text.replace("\n", " ").split(",") if row.strip()]
    return {row[0]: int(row[column]) for row in rows if column is not None and row[column] != "-"}


HARMLESS = _table(_HARMLESS)
"""Calls a program may always make: they touch only itself, or what Landlock and the mounts guard."""
JUDGED = _table(_JUDGED)
"""Calls whose arguments are looked at, or whose fate depends on what else is in force."""
SETUP = _table(_SETUP)
"""Calls that only the sandbox itself makes, before it gives them up."""
