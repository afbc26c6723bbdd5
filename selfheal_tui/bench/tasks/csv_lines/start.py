"""Lines of a CSV file."""


def split_line(line, separator=","):
    """Return the fields of a line."""
    fields = []
    place = 0
    while True:
        if line[place : place + 1] == '"':
            field, place = quoted(line, place + 1)
        else:
            end = line.find(separator, place)
            end = len(line) if end < 0 else end
            field, place = line[place:end], end
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
        else:
            return "".join(letters), place + 1
    return "".join(letters), place


def join_line(fields, separator=","):
    """Return fields as a line."""
    return separator.join(
        '"' + field.replace('"', '""') + '"' if separator in field or '"' in field else field for field in fields
    )
