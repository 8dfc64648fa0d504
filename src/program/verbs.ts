/**
 * The table of commands: a row for each noun and each verb, in the order of the help. A verb is loaded when its name is typed. `main.ts`
 * has `parse.ts` make commander's tree of it; completion, the reference and the laws of the tests walk it too.
 */
import type { Commands } from './commands.ts'

const forDevelopers = 'For developers:'

const nouns: Commands['nouns'] = {
  lists: {
    summary: 'contact lists and who is in them',
    examples: ['svc lists list --search VIP', 'svc lists members VIP -o ids'],
  },
  contacts: {
    summary: 'list, find, merge and delete contacts',
    examples: [
      'svc contacts find --email contact25@example.com',
      'svc contacts delete --file ids.txt --dry-run',
    ],
  },
  tickets: {
    summary: 'tickets, their history and assignee',
    description:
      'Tickets, their history and their assignee. The id of a ticket is part of its address in the service; you can paste\n' +
      'the address instead. The service cannot list tickets, not even those of a contact.',
    examples: [
      'svc tickets history 64000004caa033e218000000 -o transcript',
      'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
    ],
  },
  employees: {
    summary: "the company's employees, human and AI",
    examples: ['svc employees list --kind human'],
  },
  runs: {
    summary: 'recorded bulk runs: show, resume, retry, undo, check, prune',
    description:
      'Recorded bulk runs: see what became of each id, resume after a stop, send some ids again, undo a run.',
    examples: ['svc runs list', 'svc runs resume --last'],
  },
  plans: {
    summary: 'plans of bulk commands: show, apply',
    description:
      'Plans of bulk commands: --plan writes what would be sent as a file, somebody else reviews it, and it is applied once,\n' +
      'exactly as written.',
    examples: [
      'svc contacts delete --file ids.txt --plan old.plan --reason "DSAR 4711"',
      'svc plans show old.plan --who',
      'svc plans apply old.plan --yes',
    ],
  },
  ids: {
    summary: 'id files: check, clean and combine them',
    description:
      'Check, clean and combine id files, in every format that the bulk commands read. No request is sent.',
    examples: ['svc ids check ids.txt', 'svc ids subtract ids.txt keep.txt > rest.txt'],
  },
  profiles: {
    summary: 'saved connections to the service',
    description: "Saved connections: base URL, key and secret, in the user's configuration file.",
    examples: ['svc profiles list', 'svc profiles show'],
  },
  sandbox: {
    summary: 'try svc against a copy of the service on this machine',
    description:
      'Run the whole service on this machine, with sample data that is always the same, to try and test things.',
    examples: [
      'svc sandbox shell',
      'svc sandbox exec -- svc lists get VIP',
      'svc sandbox start --port 0',
    ],
    group: forDevelopers,
  },
}

const verbs: Commands['verbs'] = {
  'lists list': {
    summary: 'list contact lists, newest first',
    load: async () => (await import('../commands/lists/list.ts')).list,
  },
  'lists get': {
    summary: 'show one contact list',
    load: async () => (await import('../commands/lists/get.ts')).get,
  },
  'lists members': {
    summary: 'list the contacts of a list, newest first',
    load: async () => (await import('../commands/lists/members.ts')).members,
  },
  'lists create': {
    summary: 'create a contact list',
    load: async () => (await import('../commands/lists/create.ts')).create,
  },
  'lists update': {
    summary: 'change the name or description of a contact list',
    load: async () => (await import('../commands/lists/update.ts')).update,
  },
  'lists add-contacts': {
    summary: 'add contacts to a list, from ids or id files',
    load: async () => (await import('../commands/lists/add-contacts.ts')).addContacts,
  },
  'contacts list': {
    summary: 'list contacts, each once, with the lists that it is on',
    load: async () => (await import('../commands/contacts/list.ts')).list,
  },
  'contacts get': {
    summary: 'show contacts by their ids, with the lists that they are on',
    load: async () => (await import('../commands/contacts/get.ts')).get,
  },
  'contacts find': {
    summary: 'find contacts by phone, email, name or messenger',
    load: async () => (await import('../commands/contacts/find.ts')).find,
  },
  'contacts match': {
    summary: 'find the contact of each row of a table of people',
    load: async () => (await import('../commands/contacts/match.ts')).match,
  },
  'contacts duplicates': {
    summary: 'find contacts that share a phone number, an address or a messenger',
    load: async () => (await import('../commands/contacts/duplicates.ts')).duplicates,
  },
  'contacts merge': {
    summary: 'merge one contact into another; cannot be undone',
    load: async () => (await import('../commands/contacts/merge.ts')).merge,
  },
  'contacts delete': {
    summary: 'delete contacts, from ids or id files; cannot be undone',
    load: async () => (await import('../commands/contacts/delete.ts')).deleteContacts,
  },
  'tickets get': {
    summary: 'show one ticket',
    load: async () => (await import('../commands/tickets/get.ts')).get,
  },
  'tickets history': {
    summary: 'show the messages of tickets',
    load: async () => (await import('../commands/tickets/history.ts')).history,
  },
  'tickets assign': {
    summary: 'change the assignee of a ticket',
    load: async () => (await import('../commands/tickets/assign.ts')).assign,
  },
  'employees list': {
    summary: 'list employees, human and AI',
    load: async () => (await import('../commands/employees/list.ts')).list,
  },
  'runs list': {
    summary: 'list recorded bulk runs, newest first',
    load: async () => (await import('../commands/runs/list.ts')).list,
  },
  'runs show': {
    summary: 'show the summary of a recorded run',
    load: async () => (await import('../commands/runs/show.ts')).show,
  },
  'runs resume': {
    summary: 'resume a run where it stopped',
    load: async () => (await import('../commands/runs/resume.ts')).resume,
  },
  'runs retry': {
    summary: 'send batches of a run again, by outcome',
    load: async () => (await import('../commands/runs/retry.ts')).retry,
  },
  'runs undo': {
    summary: 'change back what a run changed, as far as an answer confirmed it',
    load: async () => (await import('../commands/runs/undo.ts')).undo,
  },
  'runs export': {
    summary: 'print what became of each id of a run, or of many',
    load: async () => (await import('../commands/runs/export.ts')).exportRun,
  },
  'runs check': {
    summary: 'check that jobs ran, and how they ended, for monitoring',
    load: async () => (await import('../commands/runs/check.ts')).checkRun,
  },
  'runs prune': {
    summary: 'remove recorded runs older than a given age',
    load: async () => (await import('../commands/runs/prune.ts')).prune,
  },
  'plans show': {
    summary: 'show what a plan would do, and who planned it',
    load: async () => (await import('../commands/plans/show.ts')).show,
  },
  'plans apply': {
    summary: 'apply a plan, once',
    load: async () => (await import('../commands/plans/apply.ts')).apply,
  },
  'ids check': {
    summary: 'count the ids of an input and name its bad lines',
    load: async () => (await import('../commands/ids/check.ts')).check,
  },
  'ids union': {
    summary: 'print the ids that are in any of the inputs',
    load: async () => (await import('../commands/ids/union.ts')).union,
  },
  'ids intersect': {
    summary: 'print the ids that are in all of the inputs',
    load: async () => (await import('../commands/ids/intersect.ts')).intersect,
  },
  'ids subtract': {
    summary: 'print the ids of the first input that are in none of the others',
    load: async () => (await import('../commands/ids/subtract.ts')).subtract,
  },
  'profiles list': {
    summary: 'list the profiles of the configuration file',
    load: async () => (await import('../commands/profiles/list.ts')).list,
  },
  'profiles show': {
    summary: 'show a profile and every setting, each with where it comes from',
    load: async () => (await import('../commands/profiles/show.ts')).show,
  },
  'profiles add': {
    summary: 'add a profile to the configuration file',
    load: async () => (await import('../commands/profiles/add.ts')).add,
  },
  'profiles use': {
    summary: 'choose the profile that is used from now on',
    load: async () => (await import('../commands/profiles/use.ts')).use,
  },
  'profiles remove': {
    summary: 'remove a profile from the configuration file',
    load: async () => (await import('../commands/profiles/remove.ts')).remove,
  },
  whoami: {
    summary: 'show the profile, host and key in use, and check them',
    load: async () => (await import('../commands/whoami.ts')).whoami,
  },
  doctor: {
    summary: 'check everything that svc needs, and say how to fix what is wrong',
    load: async () => (await import('../commands/doctor/doctor.ts')).doctor,
  },
  help: {
    summary: 'help on a command; also svc help options, svc help topics',
    load: async () => (await import('./help/help.ts')).helpOn(commands),
  },
  api: {
    summary: 'send any signed request below /v1/',
    load: async () => (await import('../commands/api/api.ts')).api,
    group: forDevelopers,
  },
  completion: {
    summary: 'print a completion script for a shell',
    load: async () => (await import('../commands/completion/completion.ts')).completion,
    group: forDevelopers,
  },
  'sandbox shell': {
    summary: 'open a shell in which svc uses a new sandbox',
    load: async () => (await import('../commands/sandbox/shell.ts')).shell,
  },
  'sandbox exec': {
    summary: 'run a command against a new sandbox',
    load: async () => (await import('../commands/sandbox/exec.ts')).exec,
  },
  'sandbox start': {
    summary: 'start the service on this machine',
    load: async () => (await import('../commands/sandbox/start.ts')).start,
  },
}

export const commands: Commands = { nouns, verbs }
