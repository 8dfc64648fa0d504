#!/bin/sh
# A tour of svc on a sandbox of its own: `npm run demo`. It runs the commands that a person would type, with their real output. Nothing
# outside the sandbox's temporary folder is read or written, and no other machine is asked.
set -u
cd "$(dirname "$SVC_STATE_DIR")" || exit 1

heading() { printf '\n# %s\n' "$1"; }

# Runs a command where the reader can see it: its exit code as it has to be, and its words.
try() {
  expected=$1
  shift
  printf '\n$ svc'
  for word; do
    case $word in
      *[!A-Za-z0-9_./:=@,-]*) printf ' "%s"' "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  echo
  svc "$@" 2>&1
  code=$?
  if [ "$code" -ne 0 ]; then echo "(exit code $code)"; fi
  if [ "$code" -ne "$expected" ]; then
    echo "the tour stopped: exit code $expected was expected" >&2
    exit 1
  fi
}

heading 'Contact lists, newest first, and who is in one of them'
try 0 lists list --limit 5
try 0 lists members VIP --limit 5

heading 'A new list, and 250 contacts for it from a file of ids'
svc lists members VIP --limit 250 -o ids >ids.txt
try 0 lists create --name 'Spring campaign' --description 'Everybody with a discount'
try 0 lists add-contacts 'Spring campaign' --file ids.txt --dry-run
try 0 lists add-contacts 'Spring campaign' --file ids.txt --receipts added.csv -v

heading 'A ticket as a conversation'
try 0 tickets history 6400012ccaa033e218000008 --limit 6

heading 'Who works on it: the assignee changes, and the way back is shown'
try 0 tickets assign 64000004caa033e218000000 --to 'Robin Berg'

heading 'A bulk delete: first the plan, then the deed with a receipt for every id'
{
  head -n 120 ids.txt
  echo ffffffffffffffffffffffff
} >old.txt
try 0 contacts delete --file old.txt --dry-run
try 3 contacts delete --file old.txt --receipts deleted.csv --yes
printf '\nThe receipts of the last five ids, from deleted.csv:\n'
head -n 1 deleted.csv
tail -n 5 deleted.csv

heading 'What was done is on record, and a run that was cut off can go on from there'
try 0 runs list

heading 'What errors look like: an old ticket on a plan with limited history, and a ruined file'
full="$SVC_API_KEY $SVC_API_SECRET"
export SVC_API_KEY=pk_sandbox_limited SVC_API_SECRET=sk_sandbox_limited_opens_nothing_but_the_sandbox
try 5 tickets history 6400004ecaa033e218000002
export SVC_API_KEY="${full% *}" SVC_API_SECRET="${full#* }"
printf '%s\n' "$(head -n 1 ids.txt)" 6400057ed5aad2927b00002 5.07E+23 >bad.txt
try 2 contacts delete --file bad.txt

heading 'That was it. To try things yourself, in a shell with such a sandbox:'
printf '\nnpx svc sandbox shell\nsvc lists list\nsvc --help\n'
