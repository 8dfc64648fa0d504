#!/bin/sh
# A tour of svc on a sandbox of its own: `npm run demo`. An answer is lost, and the run is resumed; then contacts are deleted with receipts.
# Each line that starts with $ is run, and its real output follows. Nothing outside the sandbox's temporary folder is read or written.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
svc() { node "$root/bin/svc.js" "$@"; }
cd "$(dirname "$SVC_STATE_DIR")" || exit 1
# What a line prints is kept to look at, so svc does not see the terminal itself.
[ -t 1 ] && [ -z "${NO_COLOR-}" ] && export FORCE_COLOR="${FORCE_COLOR-1}"
case "${FORCE_COLOR-0}" in 0) caption='# %s\n' ;; *) caption='\033[1;34m# %s\033[0m\n' ;; esac

say() { printf "$caption" "$1"; }

# Runs a line. It must exit with this code, and print a line that matches this pattern, or nothing if there is none.
try() {
  printf '$ %s\n' "$3"
  eval "$3" > printed.txt 2>&1
  code=$?
  cat printed.txt
  if [ -n "$2" ]; then grep -q "$2" printed.txt; else [ ! -s printed.txt ]; fi
  [ $? -eq 0 ] && [ "$code" -eq "$1" ] && return
  echo "the tour stopped: exit code $code instead of $1, or the output has no \"$2\"" >&2
  exit 1
}

svc -q lists members VIP --limit 200 -o ids > ids.txt && svc -q lists members "Trade fair" --out trade-fair.csv --fields contactId,name &&
  head -n 4 trade-fair.csv > old.csv || exit 1
say 'ids.txt has the ids of 200 contacts. Make a list for them.'
try 0 'Summer' 'svc lists create Summer --fields name'
say 'Add them. The connection breaks in the second request (--wait 0s: no retries).'
try 7 'no-answer  *100' 'svc lists add-contacts Summer --file ids.txt --once add-summer --wait 0s'
say 'The service added them, but its answer was lost. Resume (--yes: no question).'
try 0 'CONTACTS.* 200' 'svc lists get Summer --fields contacts'
try 0 'done  *200' 'svc runs resume add-summer --yes -q'
say 'Delete the people in old.csv. Each row gets a receipt.'
try 3 'blocked  *1' 'svc contacts delete --file old.csv --receipts deleted.csv --yes -q'
try 0 'Souza,blocked' 'cut -d , -f 1-3 deleted.csv'
say 'Your turn: npm install -g . && svc sandbox exec'
