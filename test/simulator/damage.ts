/** Changes a record as a bad disk or a person would, and tells whether svc notices, or reads it as if the rest had never been written. */
import { receiptsOf, type recordedRuns } from '../../src/runs/engine.ts'
import { below, type Dice } from './dice.ts'
import type { DiskFile, Folder } from './disk.ts'
import { fold, partsOf } from './fold.ts'

export interface Damage {
  isNoticed: boolean
  wrong: string[]
}

type Change = (data: Buffer, roll: Dice) => Buffer

const changes: Readonly<Record<string, Change>> = {
  'a byte': (data, roll) => {
    const copy = Buffer.from(data)
    const at = below(roll, data.length)
    copy.writeUInt8(copy.readUInt8(at) ^ (1 << below(roll, 8)), at)
    return copy
  },
  zeros: (data, roll) => {
    const from = below(roll, data.length)
    return Buffer.from(data).fill(0, from, Math.min(data.length, from + 1 + below(roll, 300)))
  },
  'a hole': (data, roll) => {
    const from = below(roll, data.length)
    return Buffer.concat([data.subarray(0, from), data.subarray(from + 1 + below(roll, 300))])
  },
  'a tail': (data, roll) => ofLines(data, (lines) => lines.slice(0, below(roll, lines.length))),
  'a line less': (data, roll) =>
    ofLines(data, (lines) => lines.toSpliced(below(roll, lines.length), 1)),
  'a line twice': (data, roll) =>
    ofLines(data, (lines) => {
      const at = below(roll, lines.length)
      return lines.toSpliced(below(roll, lines.length + 1), 0, lines[at] ?? '')
    }),
  'lines swapped': (data, roll) =>
    ofLines(data, (lines) => {
      const [one, two] = [below(roll, lines.length), below(roll, lines.length)]
      return lines.with(one, lines[two] ?? '').with(two, lines[one] ?? '')
    }),
}

function ofLines(data: Buffer, change: (lines: string[]) => string[]): Buffer {
  const lines = data.toString('latin1').split(/(?<=\n)/)
  return Buffer.from(change(lines).join(''), 'latin1')
}

/** Returns undefined if the change changes nothing. */
export async function damageRun(
  runs: ReturnType<typeof recordedRuns>,
  run: string,
  folder: Folder,
  roll: Dice,
): Promise<Damage | undefined> {
  const beginnings = beginningsOf(folder)
  const isPartGone = roll() < 0.1
  const parts = partsOf(folder)
  const at = below(roll, parts.length)
  const part = parts[at]
  if (part === undefined || part.data.length === 0) return undefined
  const ways = Object.entries(changes)
  const [how, change] = ways[below(roll, ways.length)] ?? ['', () => part.data]
  const data = change(part.data, roll)
  if (isPartGone) folder.entries.delete(`${at + 1}.ndjson`)
  else if (data.equals(part.data)) return undefined
  else Object.assign(part, { data, synced: data })
  return read(runs, run, isPartGone ? 'a part less' : how, beginnings)
}

/** The outcomes of a run, had its last lines never been written. */
function beginningsOf(folder: Folder): Set<string> {
  const beginnings = new Set<string>()
  const entries = new Map<string, DiskFile>()
  for (const [at, part] of partsOf(folder).entries()) {
    if (part === undefined) break
    const name = `${at + 1}.ndjson`
    for (const line of ['', ...part.data.toString('latin1').split(/(?<=\n)/)]) {
      const before = entries.get(name)?.data ?? Buffer.alloc(0)
      const data = Buffer.concat([before, Buffer.from(line, 'latin1')])
      entries.set(name, { ...part, data })
      const facts = fold({ ...folder, entries })
      beginnings.add(JSON.stringify(facts?.items.map(({ outcome }) => outcome)))
    }
  }
  return beginnings
}

async function read(
  runs: ReturnType<typeof recordedRuns>,
  run: string,
  how: string,
  beginnings: ReadonlySet<string>,
): Promise<Damage> {
  const record = await runs.read(run)
  // Without any part it is no run.
  if (record === undefined) return { isNoticed: false, wrong: [] }
  const { state } = record
  if (state.damage !== undefined) {
    const isDue = state.due > 0 ? [`${how}: ids are due in a damaged run`] : []
    return { isNoticed: true, wrong: isDue }
  }
  const outcomes = JSON.stringify([...receiptsOf(state)].map(({ outcome }) => outcome))
  const isBeginning = beginnings.has(outcomes)
  return { isNoticed: false, wrong: isBeginning ? [] : [`${how} was not noticed: ${outcomes}`] }
}
