# rule: bounded
# case_s: 2.5
# does: makes tens of thousands of small files and folders; stops by itself at 60 000.
import os


def f(x):
    if x == 0:
        try:
            for number in range(60_000):
                if number % 500 == 0:
                    os.mkdir(f"d{number}")
                with open(f"d{number - number % 500}/{number}", "wb") as file:
                    file.write(b"\1" * 5000)
        except OSError as refused:
            print(number, refused)
    return x + 1
