/** Words that may stand behind a line: names of commands and options, and the values of options and arguments, by name. Whatever is not here is free text, and nothing is offered for it. */
import type { Host } from '../../host.ts'
import type { NameKind } from '../../config/name-cache.ts'
import { readCommandLine, type CommandLine } from '../command-line.ts'
import { findOption, optionsOf, summariesOf, type Tree, type TreeOption } from '../tree.ts'

type Candidate = readonly [value: string, description: string]

/** Values of a position: candidates, or a file, which the shell knows best. */
type Values = readonly Candidate[] | 'files'

interface CompletionRequest {
  readonly line: CommandLine
  /** `--receipts`, or `svc completion shell`. */
  readonly what: string
  /** The word in the help: `file`, `name`. */
  readonly placeholder: string
  /** The values that its description names. */
  readonly known: readonly string[] | undefined
  readonly word: string
  readonly host: Host
}

const filePlaceholders = new Set([
  'file',
  'folder',
  'path',
  'f|-',
  'path|-',
  'file|-',
  'input',
  'inputs',
  'table',
])

/** Candidates for a word behind a line. */
export async function candidates(line: CommandLine, word: string, host: Host): Promise<Values> {
  const { commands, command, awaiting, operands, dashes } = line
  if (awaiting !== undefined) return valuesOf({ line, ...questionOf(awaiting), word, host })
  if (dashes === undefined && word.startsWith('-') && word !== '-') {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    if (equals < 0) return optionNames(commands)
    const flag = word.slice(0, equals)
    const option = findOption(commands, flag)
    if (option?.value === undefined) return []
    const values = await valuesOf({
      line,
      ...questionOf(option),
      word: word.slice(equals + 1),
      host,
    })
    return values === 'files'
      ? values
      : values.map(([value, description]) => [`${flag}=${value}`, description])
  }
  if (command.commands.length > 0)
    return operands.length > 0 || dashes !== undefined ? [] : summariesOf(command)
  const argument =
    command.arguments[operands.length] ?? command.arguments.findLast(({ isVariadic }) => isVariadic)
  if (argument === undefined) return []
  const { name, choices } = argument
  return valuesOf({
    line,
    what: `${command.path} ${name}`,
    placeholder: name,
    known: choices,
    word,
    host,
  })
}

function optionNames(commands: readonly Tree[]): Candidate[] {
  return [
    ...optionsOf(commands).map(({ long, text }): Candidate => [long, text]),
    ['--help', 'print the help of a command'],
    ...(commands.length === 1 ? [['--version', 'print the version'] as const] : []),
  ]
}

function questionOf({ long, value = '', choices, suggestions }: TreeOption) {
  return { what: long, placeholder: value, known: choices ?? suggestions }
}

async function valuesOf(wanted: CompletionRequest): Promise<Values> {
  const { what, placeholder, known } = wanted
  const find = finders[what]
  if (find !== undefined) return find(wanted)
  if (known !== undefined) return known.map((value) => [value, ''])
  const ofKind = what === '--profile' ? profileNames : kinds[placeholder]
  // Without a profile, or with a broken configuration, there are no names to offer.
  if (ofKind !== undefined) return ofKind(wanted).catch(() => [])
  if (what === 'svc help words') return helpWords(wanted.line)
  if (what === 'svc api path') {
    const { operations } = await import('../../api/operations.ts')
    const paths = new Set(
      Object.values(operations).map(({ path }) => path.replaceAll(/\{\w+\}/g, '')),
    )
    return [...paths].map((path) => [path.replace(/\/\/.*$/, '/'), ''])
  }
  if (what === 'svc sandbox exec command')
    return wanted.line.dashes !== undefined ? 'files' : [['--', 'the command follows']]
  return filePlaceholders.has(placeholder) ? 'files' : []
}

/** Kinds of arguments and values, by the word for it in the help, wherever it is taken. */
const kinds: Readonly<Record<string, (wanted: CompletionRequest) => Promise<Values>>> = {
  list: (wanted) => keptNames(wanted, 'lists'),
  employee: (wanted) => keptNames(wanted, 'employees'),
  profile: profileNames,
  run: runNames,
}

const finders: Readonly<Record<string, (wanted: CompletionRequest) => Promise<Values>>> = {
  // Those that the command has; all of them before there is one.
  '--output': async ({ line }) =>
    (await import('../shown.ts')).formatsShown(line).map((value) => [value, '']),
  '--outcome': async ({ word }) =>
    listOf((await import('../../bulk/operations/outcome.ts')).outcomes, word),
  '--by': async ({ word }) => listOf((await import('../../directory/identity.ts')).kinds, word),
  '--accept': async ({ line: { command }, word }) =>
    listOf(
      command.name === 'match'
        ? (await import('../../directory/match.ts')).acceptable
        : (await import('../../bulk/operations/outcome.ts')).acceptable,
      word,
    ),
  '--country': countries,
  '--fields': fieldLists,
}

function option({ line }: CompletionRequest, name: string): string | undefined {
  const value = line.given.get(name)
  return typeof value === 'string' ? value : undefined
}

/** From the configuration file that the line so far names. */
async function profileNames(wanted: CompletionRequest): Promise<Values> {
  const config = option(wanted, 'config')
  const { readUserFile } = await import('../../config/load.ts')
  const file = await readUserFile(wanted.host, config === undefined ? {} : { config })
  return [...(file?.content.profiles ?? [])].map(([name, { baseUrl }]) => [
    name,
    new URL(baseUrl).host,
  ])
}

/** Names of folders only; no journal is opened. Newest first. */
async function runNames(wanted: CompletionRequest): Promise<Values> {
  const typed = option(wanted, 'stateDir')
  const [{ stateDir }, { isRunId }, { runsFolder }] = await Promise.all([
    import('../../config/paths.ts'),
    import('../../bulk/record/run.ts'),
    import('../../bulk/runs/store.ts'),
  ])
  const folder = stateDir(wanted.host, typed === undefined ? {} : { stateDir: typed }).value
  const names = (await wanted.host.disk.promises.readdir(runsFolder(folder)))
    .filter(isRunId)
    .sort()
    .reverse()
  return names.map((name) => [name, ''])
}

async function countries(): Promise<Values> {
  const { getCountries } = await import('../../directory/phone-numbers.ts')
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  return getCountries().map((code) => [code, names.of(code) ?? ''])
}

/** `error,unk` is completed by every value that is not there yet. */
function listOf(values: readonly string[], word: string): Candidate[] {
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const given = before.split(',')
  return values.filter((value) => !given.includes(value)).map((value) => [`${before}${value}`, ''])
}

async function fieldLists({ line, word }: CompletionRequest): Promise<Values> {
  const [{ viewShown }, { fieldsOf }] = await Promise.all([
    import('../shown.ts'),
    import('../../output/fields.ts'),
  ])
  const view = viewShown(line)
  if (view === undefined) return []
  const fields = await Promise.all(
    (['table', 'json'] as const).map((format) => fieldsOf(view, format)),
  )
  return listOf([...new Set(fields.flat())], word)
}

/** From earlier answers to the profile of this line; the service is not asked. */
async function keptNames({ line, word, host }: CompletionRequest, kind: NameKind): Promise<Values> {
  const [{ readConfiguration }, { recalledNames }] = await Promise.all([
    import('../../config/profile.ts'),
    import('../../config/name-cache.ts'),
  ])
  const configuration = await readConfiguration(host, Object.fromEntries(line.given))
  const names = recalledNames(host, configuration.profile(), kind)
  return names.map((name) => [
    isPlainName(name) && !word.startsWith('name:') ? name : `name:${name}`,
    '',
  ])
}

/** One that is taken for neither an id, an option nor a prefix. */
function isPlainName(name: string): boolean {
  return !/^(?:[0-9a-f]{24}$|-|id:|name:)/i.test(name)
}

async function helpWords({ commands: [program], operands }: CommandLine): Promise<Values> {
  const words = operands.map(({ word }) => word)
  const { command, operands: others } = await readCommandLine(program, words)
  const names = others.length > 0 ? [] : await summariesOf(command)
  if (operands.length > 0) return names
  const { topics } = await import('../help/topics.ts')
  const pages = [['options', 'the global options'] as const, ['topics', 'all topics'] as const]
  return [...names, ...pages, ...topics.map(({ name, title }) => [name, title] as const)]
}
