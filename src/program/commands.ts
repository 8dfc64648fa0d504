/**
 * The table of commands: the nouns, and each verb with its line of the help. A verb is a page in `src/commands`, which is loaded when
 * its name is typed. The build copies the lines from the pages to `summaries.json`.
 */
import type { BulkOperationName } from '../api/operations.ts'
import type { Verb } from '../cli/verb.ts'
import type { Operation } from '../runs/engine.ts'
import summaries from './summaries.json' with { type: 'json' }

/** A noun groups verbs and does nothing itself. */
export interface Noun {
  summary: string
  description?: string
  examples: readonly string[]
}

/** The nouns in the order of the help. */
export const nouns: Readonly<Record<string, Noun>> = {
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
    summary: 'recorded runs: list, show, export, resume, close, undo, remove',
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

/** The summary of each verb, by the words after `svc`: `lists list`. */
export const verbs: Readonly<Record<string, string>> = summaries

interface VerbPage {
  verb: Verb
  operation?: Operation
}

function loadPage(path: string): Promise<VerbPage> {
  const [noun, name] = path.split(' ')
  // The build takes each page that these paths can mean into a chunk of its own.
  const page: Promise<unknown> =
    name === undefined
      ? import(`../commands/${noun}.ts`)
      : import(`../commands/${noun}/${name}.ts`)
  return page as Promise<VerbPage>
}

export const loadVerb = async (path: string): Promise<Verb> => (await loadPage(path)).verb

/** Returns the operation of a recorded run, from the page of its verb. */
export async function loadOperation(name: BulkOperationName): Promise<Operation> {
  const { operation } = await loadPage(name.replace('.', ' '))
  if (operation === undefined) throw new TypeError(`${name} is no bulk operation`)
  return operation
}
