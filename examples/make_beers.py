#!/usr/bin/env python3
"""Makes examples/beers.csv: ratings of `palate synth`, with names of people and beers.

  examples/make_beers.py build/palate
"""
import csv
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PEOPLE = """ann bob Carla Dmitri Elif Farid Greta Hugo Ines Jonas Kofi Lena Marek Nadia Omar Priya Quentin Rosa Sven
Tamar Ugo Vera Wanda Xavier Yusuf Zoë Adele Bruno Chloé Diego Esther Felix Gina Hanna Ivan Júlia Karl Léa Mina Nils
Olga Pavel Rafael Sofia Tariq Ursula Viktor Willem Yara Zdeněk Aisha Björn Cecilia David Emma Fatima Gustav Helga Igor
Jana Kenji Lucas María Noor Otto Paula Ravi Selma Tomás Ulla Vito Wei Yann Zara Arne Bianca Clara Daniel Elena Frida
George Hilde Ibrahim Josef Katja Luis Marta Nora Oskar Petra Reza Sara Theo Uwe Valérie Walter Yuki Zeynep Alma Boris
Cyril Dana Erik Flora Gerda Henrik Ida Jakob Kira Lars Mona Nicolas Olivia Per Rita Stefan Tina Valentin Wilma
Yvonne""".split()
# synth names places by their kind, and kinds of one taste stand together; so do these styles.
KINDS = """Trattoria|Osteria|Pizzeria|Café|Coffee House|Tea Room|Bistro|Brasserie|Chez|Sushi|Ramen|Izakaya|Taquería|Cantina
|Casa|Grill|Smokehouse|Burger Bar""".replace("\n", "").split("|")
STYLES = """Pale Ale|IPA|Session IPA|Stout|Porter|Oatmeal Stout|Wheat|Weissbier|Witbier|Pilsner|Lager|Helles|Saison|Sour
|Lambic|Bock|Dubbel|Barley Wine""".replace("\n", "").split("|")


def beer(title):
    kind = max((kind for kind in KINDS if title.startswith(kind + " ")), key=len)
    return f"{title[len(kind) + 1:]} {STYLES[KINDS.index(kind)]}"


def main(tool):
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.csv"
        subprocess.run([tool, "synth", "--quiet", "--out", raw, "--users", str(len(PEOPLE)), "--items", "90",
                        "--ratings-per-user", "20", "--tastes", "6", "--missing", "0.1", "--no-times",
                        "--criteria", "appearance,aroma,palate,taste", "--seed", "11"],
                       check=True, stdout=subprocess.DEVNULL)
        rows = list(csv.DictReader(raw.open(encoding="utf-8")))
    # The first names, whom the documents speak of, are people with some ratings and not too many.
    counts = Counter(row["user"] for row in rows)
    users = sorted(counts, key=lambda user: (abs(counts[user] - 15), user))
    named = dict(zip(users, PEOPLE, strict=True))
    values = ["overall", "appearance", "aroma", "palate", "taste"]
    with (Path(__file__).parent / "beers.csv").open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["user", "beer", *values])
        for row in rows:
            table.writerow([named[row["user"]], beer(row["title"]), *(row[name] for name in values)])


if __name__ == "__main__":
    main(sys.argv[1])
