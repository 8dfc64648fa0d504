#!/bin/sh
# A tour of svc on a sandbox of its own: `npm run demo`. Every line that is run is shown, with its real output, on one screen of 40 lines.
# Nothing outside the sandbox's temporary folder is read or written, and no other machine is asked.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
svc() { node "$root/bin/svc.js" "$@"; }
cd "$(dirname "$SVC_STATE_DIR")" || exit 1

# Shows a line and runs it. It must end with the exit code that is expected.
try() {
  printf '$ %s\n' "$2"
  eval "$2" 2>&1
  code=$?
  [ "$code" -eq "$1" ] && return
  echo "the tour stopped: exit code $code, and $1 was expected" >&2
  exit 1
}

try 0 'svc lists members "Campaign 297" -o ids > ids.txt'
try 0 'svc lists create "Spring campaign" --fields name'
try 0 'svc lists add-contacts "Spring campaign" --file ids.txt'
try 0 'svc tickets history 6400012ccaa033e218000008 --limit 1'
try 0 'svc contacts delete --file ids.txt --dry-run'
try 3 'svc contacts delete --file ids.txt --count 3 --receipts deleted.csv --yes'
try 0 'cut -d , -f 1,3 deleted.csv | tail -n 2'
try 0 'svc runs list'
echo 'To try things yourself: npm install -g . && svc sandbox exec'
