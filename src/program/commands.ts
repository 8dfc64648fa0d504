/**
 * The table of commands: a row for each noun and each verb, in the order of the help. A verb is loaded when its name is
 * typed. `doctor`, `help` and `completion` are verbs without a noun.
 */
import type { BulkOperation } from '../api/operations.ts'
import type { CommandTable } from '../cli/verb.ts'
import type { Operation } from '../runs/engine.ts'

const nouns: CommandTable['nouns'] = {
  lists: {
    summary: 'contact lists and who is in them',
    examples: ['svc lists list --search VIP', 'svc lists members VIP -o ids'],
  },
  contacts: {
    summary: 'list, find, merge and delete contacts',
    examples: [
      'svc contacts list --in VIP',
      'svc contacts delete --file ids.txt --dry-run',
    ],
  },
  tickets: {
    summary: 'tickets, their history and assignee',
    description:
      'Tickets, their history and their assignee. The id of a ticket is part of its address in the service; ' +
      'you can paste the address instead. The service cannot list tickets, not even those of a contact.',
    examples: [
      'svc tickets history 64000004caa033e218000000',
      'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
    ],
  },
  employees: {
    summary: "the company's employees, human and AI",
    examples: ['svc employees list --kind human'],
  },
  runs: {
    summary: 'recorded runs: list, show, export, resume, undo',
    description:
      'Recorded runs: see what happened to each id, resume after a stop, give tickets back.',
    examples: ['svc runs list', 'svc runs resume delete-20260301-101500-3f9a --yes'],
  },
  profiles: {
    summary: 'saved connections to the service',
    description:
      "Saved connections: base URL, key and secret, in the user's configuration file.",
    examples: ['svc profiles list', 'svc profiles use prod'],
  },
  sandbox: {
    summary: 'try svc against a copy of the service on this machine',
    description:
      'Run the whole service on this machine, with sample data that is always the same, to try and test things.',
    examples: [
      'svc sandbox exec',
      'svc sandbox exec -- svc lists get VIP',
      'svc sandbox start --port 0',
    ],
  },
}

const verbs: CommandTable['verbs'] = {
  'lists list': {
    summary: 'list contact lists, newest first',
    load: () => import('../commands/lists/list.ts'),
  },
  'lists get': {
    summary: 'show one contact list',
    load: () => import('../commands/lists/get.ts'),
  },
  'lists members': {
    summary: 'list the contacts of a list, newest first',
    load: () => import('../commands/lists/members.ts'),
  },
  'lists create': {
    summary: 'create a contact list',
    load: () => import('../commands/lists/create.ts'),
  },
  'lists update': {
    summary: 'change the name or description of a contact list',
    load: () => import('../commands/lists/update.ts'),
  },
  'lists add-contacts': {
    summary: 'add contacts to a list, from ids or id files',
    load: () => import('../commands/lists/add-contacts.ts'),
  },
  'contacts list': {
    summary: 'list each contact once, with its lists',
    load: () => import('../commands/contacts/list.ts'),
  },
  'contacts get': {
    summary: 'show contacts by id, with their lists',
    load: () => import('../commands/contacts/get.ts'),
  },
  'contacts find': {
    summary: 'find contacts by phone, email, name or messenger',
    load: () => import('../commands/contacts/find.ts'),
  },
  'contacts match': {
    summary: 'find the contact of each row of a table of people',
    load: () => import('../commands/contacts/match.ts'),
  },
  'contacts duplicates': {
    summary: 'find contacts that share a phone number, email address or messenger',
    load: () => import('../commands/contacts/duplicates.ts'),
  },
  'contacts merge': {
    summary: 'merge one contact into another; cannot be undone',
    load: () => import('../commands/contacts/merge.ts'),
  },
  'contacts delete': {
    summary: 'delete contacts, from ids or id files; cannot be undone',
    load: () => import('../commands/contacts/delete.ts'),
  },
  'tickets get': {
    summary: 'show one ticket',
    load: () => import('../commands/tickets/get.ts'),
  },
  'tickets history': {
    summary: 'show the messages of tickets',
    load: () => import('../commands/tickets/history.ts'),
  },
  'tickets assign': {
    summary: 'change the assignee of a ticket',
    load: () => import('../commands/tickets/assign.ts'),
  },
  'employees list': {
    summary: 'list employees, human and AI',
    load: () => import('../commands/employees/list.ts'),
  },
  'runs list': {
    summary: 'list recorded bulk runs, newest first',
    load: () => import('../commands/runs/list.ts'),
  },
  'runs show': {
    summary: 'show the summary of a recorded run',
    load: () => import('../commands/runs/show.ts'),
  },
  'runs resume': {
    summary: 'resume a run where it stopped',
    load: () => import('../commands/runs/resume.ts'),
  },
  'runs close': {
    summary: 'send nothing more in a run',
    load: () => import('../commands/runs/close.ts'),
  },
  'runs undo': {
    summary: 'give the tickets of an assign run back to who had them',
    load: () => import('../commands/runs/undo.ts'),
  },
  'runs export': {
    summary: 'print the outcome of each id of a run',
    load: () => import('../commands/runs/export.ts'),
  },
  'runs remove': {
    summary: 'forget runs in which nothing is due',
    load: () => import('../commands/runs/remove.ts'),
  },
  'profiles list': {
    summary: 'list the profiles of the configuration file',
    load: () => import('../commands/profiles/list.ts'),
  },
  'profiles add': {
    summary: 'add a profile to the configuration file',
    load: () => import('../commands/profiles/add.ts'),
  },
  'profiles use': {
    summary: 'choose the profile to use from now on',
    load: () => import('../commands/profiles/use.ts'),
  },
  'profiles remove': {
    summary: 'remove a profile from the configuration file',
    load: () => import('../commands/profiles/remove.ts'),
  },
  'sandbox exec': {
    summary: 'run a command, or your shell, against a new sandbox',
    load: () => import('../commands/sandbox/exec.ts'),
  },
  'sandbox start': {
    summary: 'start the service on this machine',
    load: () => import('../commands/sandbox/start.ts'),
  },
  doctor: {
    summary: 'show who you are, and check everything that svc needs',
    load: () => import('../commands/doctor.ts'),
  },
  help: {
    summary: 'help on a command or a topic',
    load: async () => ({ verb: (await import('./help.ts')).helpOn(commands) }),
  },
  completion: {
    summary: 'print a completion script for a shell',
    load: () => import('./completion.ts'),
  },
}

export const commands: CommandTable = { nouns, verbs }

const operationPages: Readonly<
  Record<BulkOperation, () => Promise<{ operation: Operation }>>
> = {
  'lists.add-contacts': () => import('../commands/lists/add-contacts.ts'),
  'contacts.merge': () => import('../commands/contacts/merge.ts'),
  'contacts.delete': () => import('../commands/contacts/delete.ts'),
  'tickets.assign': () => import('../commands/tickets/assign.ts'),
}

/** Returns the operation of a recorded run, from the page of its verb. */
export const loadOperation = async (name: BulkOperation): Promise<Operation> =>
  (await operationPages[name]()).operation
