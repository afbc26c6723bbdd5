"""A report over the sales of a month, from a CSV export."""


def parse_rows(text):
    """Return each line below the header as a dict of its columns."""
    lines = text.strip().splitlines()
    header = lines[0].split(",")
    rows = []
    for line in lines[1:-1]:
        rows.append(dict(zip(header, line.split(","), strict=True)))
    return rows


def totals(rows):
    """Return the sum of the amounts of each region."""
    sums = {}
    for row in rows:
        region = row["region"]
        if region not in sums:
            sums[region] = 0
        sums[region] = int(row["amount"])
    return sums


def ranking(sums):
    """Return (region, sum) pairs, the largest sum first."""
    return sorted(sums.items(), key=lambda pair: pair[1])


def report(text):
    """Return one line for each region, the best one first."""
    return [f"{region}: {amount}" for region, amount in ranking(totals(parse_rows(text)))]
