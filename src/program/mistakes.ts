/** What is wrong with a command line, and what was meant. */
import type { CommanderError } from 'commander'
import type { Commands } from '../cli/verb.ts'
import { SvcError, usageError } from '../errors.ts'
import { say, svc, type Message } from '../message.ts'
import type { TypedLine } from '../options.ts'
import { joinOr } from '../words.ts'
import type { LineBeingRead } from './options.ts'

/** Commander's message and suggestion, the command that was meant, or an example for a word too many. */
export function mistakeOf(
  line: LineBeingRead,
  commands: Commands,
  { code, message }: CommanderError,
): unknown {
  const text = message.replace(/^error: /, '').replaceAll("'", '"')
  const [headline = '', suggestion = ''] = text.split('\n')
  const [, wrong = ''] = /^unknown (?:command|option) "(.*)"/.exec(headline) ?? []
  const path = `${line.path} ${wrong}`.trim()
  const other = otherWords.find(({ typed }) => typed.includes(path))
  if (other !== undefined) return usageError(other.problem, other.instead)
  const error = usageError(headline)
  if (code === 'commander.excessArguments' && line.example !== undefined)
    return withHelp(line, error, `for example:\n  ${line.example}\n`)
  const verbs = Object.keys(commands.verbs).filter((each) => each.endsWith(` ${path}`))
  if (verbs.length > 0) return withHelp(line, error, `did you mean ${joinOr(verbs)}?\n`)
  return withHelp(line, error, suggestion.replace(/^\(D(.*)\)$/, 'd$1\n'))
}

/**
 * A usage error, with the help to read if it has no hint of its own. Other errors stay unchanged. `meant`: lines with what was
 * meant, which come first.
 */
export function withHelp({ path }: Pick<TypedLine, 'path'>, error: unknown, meant = '') {
  if (!(error instanceof SvcError) || error.category !== 'usage') return error
  const { hint = `${meant}see: ${`svc ${path}`.trim()} --help` } = error.details
  return error.with({ hint })
}

/** What people type that svc does not have, or that has another name, with what to do instead. */
const otherWords: readonly {
  typed: readonly string[]
  problem: string
  instead: Message
}[] = [
  {
    typed: ['lists delete', 'lists remove', 'lists rm'],
    problem: 'the service cannot delete lists',
    instead: say`you can rename one:\n  ${svc`lists update <list> --name <name>`}`,
  },
  {
    typed: ['lists remove-contacts', 'lists remove-contact'],
    problem: 'the service cannot remove contacts from a list',
    instead: say`you can add those that stay to a new list:\n  ${svc`lists members <list> -o ids`}`,
  },
  {
    typed: ['lists add'],
    problem: 'contacts are added to a list with add-contacts',
    instead: say`type:\n  ${svc`lists add-contacts <list> --file <ids>`}`,
  },
  {
    typed: ['lists export', 'contacts export'],
    problem: 'the members of a list are written to a file with --out',
    instead: say`type:\n  ${svc`lists members <list> --out <file.csv>`}`,
  },
  {
    typed: ['contacts create', 'contacts add'],
    problem: 'the service cannot create contacts',
    instead: 'a contact is created when somebody writes to the company',
  },
  {
    typed: ['contacts update', 'contacts edit'],
    problem: 'the service cannot change contacts',
    instead: say`you can merge two of them:\n  ${svc`contacts merge <source> --into <target>`}`,
  },
  {
    typed: ['find', 'search', 'contacts search'],
    problem: 'people are found with a command of contacts',
    instead: say`type:\n  ${svc`contacts find <words>`}`,
  },
  {
    typed: ['tickets list', 'tickets ls'],
    problem: 'the service cannot list tickets',
    instead: say`copy the address of a ticket from the service:\n  ${svc`tickets get <ticket>`}`,
  },
  {
    typed: ['tickets close', 'tickets reply', 'tickets send'],
    problem: 'the service can neither close tickets nor send messages',
    instead: 'do it in the service itself',
  },
  {
    typed: ['login', 'configure', 'auth', 'config', 'init'],
    problem: 'a connection to the service is saved as a profile',
    instead: say`type:\n  ${svc`profiles add <name>`}\nto see what is used now:\n  ${svc`doctor`}`,
  },
  {
    typed: ['whoami', 'status'],
    problem: 'who you are is shown by doctor',
    instead: say`type:\n  ${svc`doctor`}`,
  },
  {
    typed: ['undo'],
    problem: 'a run is undone with a command of runs',
    instead: say`to see what would be undone:\n  ${svc`runs undo --last --dry-run`}`,
  },
]
