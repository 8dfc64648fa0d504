/** The words behind `svc`, in the order of its help, each in one line: what `svc --help` shows without loading any of them. */
export const summaries = {
  lists: 'contact lists and who is in them',
  contacts: 'list, find, merge and delete contacts',
  tickets: 'tickets, their history and assignee',
  employees: "the company's employees, human and AI",
  runs: 'recorded bulk runs: show, resume, retry, undo, check, prune',
  plans: 'plans of bulk commands: show, approve, apply',
  ids: 'id files: check, clean and combine them',
  profiles: 'saved connections to the service',
  whoami: 'show the profile, host and key in use, and check them',
  doctor: 'check everything that svc needs, and say how to fix what is wrong',
  help: 'help on a command; also svc help options, svc help topics',
  api: 'send any signed request below /v1/',
  completion: 'print a completion script for a shell',
  sandbox: 'try svc against a copy of the service on this machine',
} as const
