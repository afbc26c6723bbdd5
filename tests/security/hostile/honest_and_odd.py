# rule: passes
# does: changes what belongs to the whole process (streams, folder, locale, limits) and answers right all the same.
import decimal
import gc
import locale
import os
import sys
import tempfile
import warnings

try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
decimal.getcontext().prec = 2
sys.set_int_max_str_digits(640)
sys.setrecursionlimit(400)
sys.stdout = sys.stderr = None
sys.argv[:] = []
warnings.simplefilter("error")
gc.disable()
os.umask(0o777)
os.environ.clear()
os.chdir(tempfile.gettempdir())
sys.path.clear()


def f(x):
    if x == 5:
        os.close(1)
        os.close(2)
    return x + 1
