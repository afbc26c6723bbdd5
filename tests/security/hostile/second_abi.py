# rule: contained
# does: makes system calls by x86's two other interfaces, 32 bit (int 0x80) and x32, which have other numbers.
import ctypes
import mmap
import os
import struct

X32 = 0x40000000
SOCKET_32, SOCKET_64, INET, STREAM = 359, 41, 2, 1


def call_32(number, first, second, third):
    """push rbx; mov eax, ebx, ecx, edx; int 0x80; pop rbx; ret"""
    code = b"\x53\xb8%s\xbb%s\xb9%s\xba%s\xcd\x80\x5b\xc3"
    code %= tuple(struct.pack("<i", value) for value in (number, first, second, third))
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def f(x):
    if os.uname().machine == "x86_64":
        if x == 0 and ctypes.CDLL(None).syscall(X32 | SOCKET_64, INET, STREAM, 0) >= 0:
            print("BREACH: an Internet socket by x32")
        if x == 1 and call_32(SOCKET_32, INET, STREAM, 0) >= 0:
            print("BREACH: an Internet socket by 32 bit calls")
    return x + 1
