#!/bin/sh
# A tour of palate on made-up restaurant ratings. Every line after "$" can be typed by hand.
#   demo/run.sh [path of the tool] [folder for what it writes]
set -eu

tool=${1:-build/palate}
out=${2:-build/demo}

if [ ! -x "$tool" ]; then
  echo "demo: there is no tool at $tool; 'make tool' builds it" >&2
  exit 1
fi
mkdir -p "$out"

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$(printf '\033[1m') && plain=$(printf '\033[0m')
else
  bold='' && plain=''
fi

say() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
run() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say "1. Ratings: 2,000 people, 600 restaurants, overall and four criteria, some left out"
run "$tool" synth --out "$out/restaurants.csv" --seed 7
run "$tool" import "$out/restaurants.csv"
run "$tool" info "$out/restaurants.csv" --quiet

say "2. How good are recommendations? A fifth of everybody's ratings is hidden and has to be found"
run "$tool" compare "$out/restaurants.csv" --quiet

say "3. A model of everything, its settings found on a validation part"
run "$tool" fit "$out/restaurants.csv" --out "$out/restaurants.palate" --quiet
run "$tool" info "$out/restaurants.palate" --quiet

# Someone with an ordinary number of ratings: the first user of the file.
user=$(sed -n '2s/,.*//p' "$out/restaurants.csv")
say "4. What may $user like, and what is each score made of?"
run "$tool" recommend "$out/restaurants.palate" --user "$user" --top 8

say "5. The same for an evening on which the service counts most: no refit"
run "$tool" recommend "$out/restaurants.palate" --user "$user" --top 8 --weight service=20

item=$("$tool" recommend "$out/restaurants.palate" --user "$user" --top 1 --json |
  sed -n 's/.*"item": "\(.*\)",*$/\1/p' | head -n 1)
say "6. Why the first one?"
run "$tool" explain "$out/restaurants.palate" --user "$user" --item "$item" --parts 6

say "7. All of it on one page"
run "$tool" report "$out/restaurants.csv" --out "$out/report.html" --title "Restaurants" \
  --user "$user" --quiet

say "Done. Open $out/report.html in a browser; 'palate --help' lists the commands."
