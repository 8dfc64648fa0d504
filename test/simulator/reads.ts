/** Reads of lists that others may change meanwhile: whoever stays is never missing from one that looks whole. */
import type { Dice } from './dice.ts'
import { changeWhile, createList, watch } from './others.ts'
import { parsed } from './printed.ts'
import type { SimulatedProcess } from './process.ts'
import type { Stage } from './stage.ts'

/** A read, and what it must have. */
interface Read {
  /** `list`: by its id or name. */
  words(list: string): readonly string[]
  readonly formats: readonly Format[]
  /** The current rows, each with the texts that its line must print. */
  facts(): Facts
  /** Its rows, of which none is printed twice. */
  readonly rows?: RegExp
  /** It is told beside the data. */
  readonly told?: 'whole' | 'rows'
}

type Facts = ReadonlyMap<string, readonly string[]>

type Format = keyof typeof isOpen

/** Signs of an output that says that it is not all there is. */
const isOpen = {
  json: (text: string) => parsed(text) === undefined,
  ndjson: (text: string) => lastLineOf(text).startsWith('{"type":"error"'),
  ids: (text: string) => text === '',
  csv: (text: string) => text === '',
} satisfies Record<string, (text: string) => boolean>

const lastLineOf = (text: string): string => text.trimEnd().split('\n').at(-1) ?? ''

const factsOf = (ids: readonly string[]): Facts => new Map(ids.map((id) => [id, [id]]))

const rowsOfMembers = /^([0-9a-f]{24})$|"contact":\s*\{\s*"id":\s*"([0-9a-f]{24})"/gm

function members(stage: Stage, list: string): Read {
  return {
    words: (typed) => ['lists', 'members', typed],
    formats: ['json', 'ndjson', 'ids'],
    facts: () => factsOf(stage.membersOf(list)),
    rows: rowsOfMembers,
  }
}

const plainName = /^[A-Z][a-z]{2,}$/

function find(stage: Stage, list: string, dice: Dice): Read {
  const { contacts } = stage.world.service.company
  const nameOf = (id: string): string => contacts.find(id)?.lastName ?? ''
  const names = stage.membersOf(list).map(nameOf)
  const [name = 'Miller'] = dice.some(
    names.filter((each) => plainName.test(each)),
    1,
  )
  const [other = list] = dice.some(stage.stock.lists, 1)
  return {
    words: (typed) => ['contacts', 'find', '--name', name, '--in', other, '--in', typed],
    formats: ['json', 'ndjson', 'ids', 'csv'],
    facts: () =>
      new Map(
        [list, other].flatMap((each) => {
          const its = stage.membersOf(each).filter((id) => nameOf(id) === name)
          return its.map((id) => [`${id} on ${each}`, [id]])
        }),
      ),
  }
}

/** Some members get one phone number. */
function duplicates(stage: Stage, list: string, dice: Dice): Read {
  const { contacts } = stage.world.service.company
  const phone = `+1555${dice.whole(1_000_000, 9_999_999)}`
  const alike = dice.some(stage.membersOf(list), dice.whole(2, 4))
  stage.world.service.changeAsSomebodyElse(() => {
    for (const id of alike) Object.assign(contacts.find(id)?.identities ?? {}, { phone: [phone] })
  })
  return {
    words: (typed) => ['contacts', 'duplicates', '--by', 'phone', '--in', typed],
    formats: ['json', 'ndjson', 'csv'],
    facts() {
      const now = stage.membersOf(list).filter((id) => alike.includes(id))
      const pairs = now.flatMap((id, n) => now.slice(n + 1).map((other) => [id, other]))
      return new Map(pairs.map((pair) => [pair.join(' '), pair]))
    },
  }
}

/** Contacts with their names, which only reading a list that has them tells. */
function who(stage: Stage, list: string, dice: Dice): Read {
  const { contacts, lists } = stage.world.service.company
  // Others are written with signs that show what cannot be printed.
  const isPlain = (id: string): boolean => plainName.test(contacts.find(id)?.firstName ?? '')
  const chosen = dice.some(stage.membersOf(list).filter(isPlain), 2)
  const file = stage.file(chosen)
  return {
    words: () => ['contacts', 'delete', '--file', file, '--who', '--dry-run'],
    formats: ['json'],
    facts() {
      const facts = new Map<string, readonly string[]>()
      for (const id of chosen) {
        const name = contacts.find(id)?.firstName ?? ''
        for (const each of lists.values())
          if (each.members.has(id)) facts.set(`${id} on ${each.id}`, [id, name])
      }
      return facts
    },
    // A contact that is alone is shown as lines, not as a row.
    told: chosen.length === 1 ? 'whole' : 'rows',
  }
}

const kinds = { members, find, duplicates, who }

/** The list by its name, where that is its alone; a new one is created meanwhile now and then. */
function nameFor(stage: Stage, list: string): string | undefined {
  const { lists } = stage.world.service.company
  const name = lists.get(list)?.name ?? ''
  return [...lists.values()].filter((other) => other.name === name).length === 1 ? name : undefined
}

async function play(stage: Stage, dice: Dice, kind: keyof typeof kinds): Promise<void> {
  const list = dice.pick(stage.stock.lists)
  const read = kinds[kind](stage, list, dice)
  const format = dice.pick(read.formats)
  const name = dice.chance(0.3) ? nameFor(stage, list) : undefined
  const names = watch(stage, () => factsOf(nameFor(stage, list) === name ? [list] : []))
  const facts = watch(stage, read.facts)
  const words = [...read.words(name === undefined ? list : `name:${name}`), '-o', format]
  const ended = stage.disturbed(dice, words, { machine: dice.pick(stage.world.machines) })
  const others = dice.fork()
  if (others.chance(0.3)) createList(stage, others)
  if (others.chance(0.5)) await changeWhile(stage, others, list)
  const process = await ended
  const isNamed = names.end().size > 0
  judgeRead(stage, process, { ...read, format, stayed: facts.end() })
  const isKnown = name === undefined || !isNamed || process.code !== 6
  // A gateway may say that the key, or the list, is not there.
  const isSaid = /"httpStatus":4|HTTP 4/.test(process.stderr)
  stage.judge.claimOf(process)(isKnown || isSaid, `"${name}" is there, and it ends with 6`)
}

interface Ended extends Read {
  readonly format: Format
  readonly stayed: Facts
}

function judgeRead(
  { judge }: Stage,
  process: SimulatedProcess,
  { format, stayed, rows, told }: Ended,
): void {
  const claim = judge.claimOf(process)
  const { code, stdout, stderr, signal } = process
  const text = told === undefined ? stdout : stderr
  const lines = told === 'rows' ? text.split(/\\n|\n/) : [text]
  const missing = [...stayed].filter(
    ([, texts]) => !lines.some((line) => texts.every((part) => line.includes(part))),
  )
  if (code === 0) {
    const count = `${stayed.size} stayed, and ${missing.length} are not there`
    claim(missing.length === 0, `${count}: ${missing.map(([fact]) => fact).join(', ')}`)
    const ids = rows === undefined ? [] : Array.from(stdout.matchAll(rows), ([row]) => row)
    claim(new Set(ids).size === ids.length, 'one is printed twice')
  } else if (code === 7 || (signal !== undefined && stdout !== '')) {
    const isSilent = rows === undefined && stdout === ''
    // A signal behind the last row leaves a whole output.
    const isBehindLast = signal !== undefined && missing.length === 0
    const last = lastLineOf(stdout)
    claim(
      isSilent || isOpen[format](stdout) || isBehindLast,
      `exit ${code}, and its ${format} looks whole: ${last}`,
    )
  }
}

export const reads = {
  members: (stage: Stage, dice: Dice) => play(stage, dice, 'members'),
  reads: (stage: Stage, dice: Dice) =>
    play(stage, dice, dice.weighted({ find: 3, duplicates: 3, who: 1 })),
}
