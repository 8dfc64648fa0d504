/** The values of options and arguments, by name. Whatever is not here is free text, and nothing is offered for it. */
import type { Host } from '../../host.ts'
import { colors, formats, progresses } from '../../config/rules.ts'
import { sides } from '../../resources/list-difference.ts'
import { inputFormats } from '../../ids/formats.ts'
import type { Format, View } from '../../output/result.ts'
import { httpMethods } from '../../values.ts'
import type { NameKind } from '../../config/name-cache.ts'
import type { CommandLine } from '../command-line.ts'
import { findCommand, type Tree } from '../tree.ts'
import type { Run } from '../verb.ts'

export type Candidate = readonly [value: string, description: string]

/** What a position takes: candidates, or a file, which the shell knows best. */
export type Values = readonly Candidate[] | 'files'

interface Wanted {
  readonly line: CommandLine
  /** `--receipts`, or `svc completion shell`. */
  readonly what: string
  /** The word in the help: `file`, `name`. */
  readonly placeholder: string
  /** What was typed of the value. */
  readonly word: string
  readonly host: Host
}

/** Options of a few words each. A test compares them with the options that there are. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  '--output': formats,
  '--color': colors,
  '--progress': progresses,
  '--error-format': ['text', 'json'],
  '--input-format': inputFormats,
  '--kind': ['human', 'ai'],
  '--status': ['active', 'inactive'],
  '--only': sides,
  '--order': ['newest', 'oldest'],
  '--limit': ['all'],
  '--method': httpMethods,
  '--port': ['4010', '0'],
  'svc completion shell': ['bash', 'zsh', 'fish', 'powershell'],
  'svc sign method': httpMethods,
}

/** Those of them that only offer what is usual. */
const open: ReadonlySet<string> = new Set(['--status', '--limit', '--port', 'svc sign method'])

/** The only values that an option or argument takes; undefined where others are possible. */
export function closedChoices(what: string): readonly string[] | undefined {
  return open.has(what) || !Object.hasOwn(choices, what) ? undefined : choices[what]
}

const listPlaces = [
  ...['get', 'members', 'diff', 'update', 'add-contacts'].map((verb) => `svc lists ${verb} list`),
  'svc lists diff other',
  '--in',
]
const employeePlaces = ['--to', '--if-assignee']
const profileArguments = [
  'svc profiles show name',
  'svc profiles use name',
  'svc profiles remove name',
  'svc profiles rename old',
]
const runArguments = ['show', 'export', 'resume', 'retry', 'undo'].map((verb) => `svc runs ${verb} run`)
const pathArguments = ['svc api path', 'svc sign path']
/** Words that stand for a file in the help. */
const filePlaceholders = new Set(['file', 'folder', 'path', 'f|-', 'path|-', 'file|-', 'input', 'inputs'])

export async function valuesOf(wanted: Wanted): Promise<Values> {
  const { what, placeholder } = wanted
  const find = finders[what]
  if (find !== undefined) return find(wanted)
  const known = Object.hasOwn(choices, what) ? choices[what] : undefined
  if (known !== undefined) return known.map((value) => [value, ''])
  if (what === '--profile' || profileArguments.includes(what)) return profileNames(wanted)
  if (runArguments.includes(what)) return runNames(wanted)
  if (listPlaces.includes(what)) return keptNames(wanted, 'lists')
  if (employeePlaces.includes(what)) return keptNames(wanted, 'employees')
  if (what === 'svc help words') return helpWords(wanted.line)
  if (pathArguments.includes(what)) {
    const { operations } = await import('../../api/operations.ts')
    const paths = new Set(Object.values(operations).map(({ path }) => path.replaceAll(/\{\w+\}/g, '')))
    return [...paths].map((path) => [path.replace(/\/\/.*$/, '/'), ''])
  }
  if (what === 'svc sandbox exec command')
    return wanted.line.afterDashes ? 'files' : [['--', 'the command stands behind it']]
  return filePlaceholders.has(placeholder) ? 'files' : []
}

/** Options whose values are looked for. */
const finders: Readonly<Record<string, (wanted: Wanted) => Promise<Values>>> = {
  '--output': formatList,
  '--outcome': outcomeLists,
  '--fields': fieldLists,
}

function option({ line }: Wanted, name: string): string | undefined {
  const value = line.given.get(name)
  return typeof value === 'string' ? value : undefined
}

/** From the configuration file that the line so far names. A broken one has no names to offer, and is no matter here. */
async function profileNames(wanted: Wanted): Promise<Values> {
  const config = option(wanted, 'config')
  try {
    const { readUserFile } = await import('../../config/load.ts')
    const file = await readUserFile(wanted.host, config === undefined ? {} : { config })
    return [...(file?.content.profiles ?? [])].map(([name, { baseUrl }]) => [name, new URL(baseUrl).host])
  } catch {
    return []
  }
}

/** Names of folders only; no journal is opened. Newest first. */
async function runNames(wanted: Wanted): Promise<Values> {
  const typed = option(wanted, 'stateDir')
  try {
    const [{ stateDir }, { isRunId }, { runsFolder }, { readdir }] = await Promise.all([
      import('../../config/paths.ts'),
      import('../../bulk/run.ts'),
      import('../../bulk/store.ts'),
      import('node:fs/promises'),
    ])
    const folder = stateDir(wanted.host, typed === undefined ? {} : { stateDir: typed }).value
    const names = (await readdir(runsFolder(folder))).filter(isRunId)
    return names
      .sort()
      .reverse()
      .map((name) => [name, ''])
  } catch {
    return []
  }
}

async function outcomeLists({ word }: Wanted): Promise<Values> {
  const { outcomes } = await import('../../bulk/claims.ts')
  return listOf(outcomes, word)
}

/** `error,unk` is completed by every value that is not there yet. */
function listOf(values: readonly string[], word: string): Candidate[] {
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const given = before.split(',')
  return values.filter((value) => !given.includes(value)).map((value) => [`${before}${value}`, ''])
}

async function fieldLists(wanted: Wanted): Promise<Values> {
  const shown = await shownBy(wanted)
  if (shown === undefined) return []
  const { computed = {}, fields, document = [] } = shown.view
  return listOf([...new Set([...Object.keys(computed), ...fields, ...document])], wanted.word)
}

/** Those that the command has; all of them before there is one. */
async function formatList(wanted: Wanted): Promise<Values> {
  const shown = await shownBy(wanted)
  return (shown?.formats ?? formats).map((value) => [value, ''])
}

interface ShownBy {
  readonly view: View<never>
  readonly formats: readonly Format[]
}

/** What the command on the line shows: it is run as far as its view, without arguments. Undefined where none is named yet. */
async function shownBy({ line, host }: Wanted): Promise<ShownBy | undefined> {
  const [{ buildProgram }, { commandAt }, { formatsOf }] = await Promise.all([
    import('../program.ts'),
    import('../help/page.ts'),
    import('../../output/choice.ts'),
  ])
  let seen: ShownBy | undefined
  const look: Run =
    (view, _action, { plain, bulk } = {}) =>
    (...args) => {
      const bulkView = bulk?.(...args)
      if (plain !== undefined) seen = { view, formats: plain === 'json' ? ['table', 'json'] : ['table'] }
      else
        seen =
          bulkView === undefined ? { view, formats: formatsOf(view) } : { view: bulkView, formats: formatsOf(bulkView) }
      return Promise.resolve()
    }
  const names = line.commands.slice(1).map(({ name }) => name)
  const program = await buildProgram(host, look, names)
  const command = commandAt(program, names)
  if (names.length === 0 || command.commands.length > 0) return undefined
  for (const argument of command.registeredArguments) argument.required = false
  for (const option of command.options) option.mandatory = false
  // With a file of them, a verb that takes one thing is a bulk run.
  const file = line.given.get('file')
  await program.parseAsync([...names, ...(typeof file === 'string' ? [`--file=${file}`] : [])], { from: 'user' })
  return seen
}

/** From earlier answers to the profile of this line; the service is not asked. */
async function keptNames({ line, word, host }: Wanted, kind: NameKind): Promise<Values> {
  try {
    const [{ readConfiguration }, { recalledNames }] = await Promise.all([
      import('../../config/profile.ts'),
      import('../../config/name-cache.ts'),
    ])
    const configuration = await readConfiguration(host, Object.fromEntries(line.given))
    const names = recalledNames(host, configuration.profile(), kind)
    return names.map((name) => [isPlainName(name) && !word.startsWith('name:') ? name : `name:${name}`, ''])
  } catch {
    // Without a profile there are no names to offer.
    return []
  }
}

/** One that is taken for neither an id, an option nor a prefix. */
function isPlainName(name: string): boolean {
  return !/^(?:[0-9a-f]{24}$|-|id:|name:)/i.test(name)
}

async function helpWords({ commands: [program], operands }: CommandLine): Promise<Values> {
  let at: Tree | undefined = program
  for (const word of operands) at = at === undefined ? undefined : findCommand(at, word)
  const names = (at?.commands ?? []).map(({ name, summary }) => [name, summary] as const)
  if (operands.length > 0) return names
  const { topics } = await import('../help/topics.ts')
  const pages = [['options', 'the global options'] as const, ['topics', 'all topics'] as const]
  return [...names, ...pages, ...topics.map(({ name, title }) => [name, title] as const)]
}
