"""Lines of a CSV file."""


def split_line(line, separator=","):
    """Return the fields of a line."""
    fields = []
    place = 0
    while True:
        if line[place : place + 1] == separator:
            field, place = quoted(line, place + 1)
        else:
            end = line.find(separator, place)
            end = len(line) if end < 0 else end
            field, place = line[place:end].strip('"'), end
        fields.append(field)
        if place == len(line):
            return fields
        if line[place] != separator:
            raise ValueError(f"text after a closing quote at {place}")
        place += 1


def quoted(line, place):
    """Return a quoted field and the place after its closing quote."""
    letters = []
    while place < len(line):
        if line[place] != '"':
            letters.append(line[place])
            place += 1
        elif line[place + 1 : place + 2] == '"':
            letters.append('"')
            place += 2
        else:
            return "".join(letters), place + 1
    raise ValueError("a quote is not closed")


def join_line(fields, separator=","):
    """Return fields as a line."""
    return separator.join(
        '"' + field + '"' if separator in field or '"' in field else field for field in fields
    )
