/** Tables of people: matched, edited by a person's hand, matched again, and given to a bulk command. */
import { parse } from 'csv-parse/sync'
import type { Dice } from './dice.ts'
import { begin } from './later.ts'
import { changeWhile, watch } from './others.ts'
import type { SimulatedProcess } from './process.ts'
import type { Stage } from './stage.ts'
import { typeFile } from './typed.ts'

type Row = Readonly<Record<string, string>>

/** Plain addresses of a list's members, each with the contact that alone has it. */
function addressesOn(stage: Stage, list: string): Map<string, string> {
  const { company } = stage.world.service
  const members = new Set(stage.membersOf(list))
  const owners = new Map<string, string[]>()
  for (const { id, identities } of company.contacts.all())
    for (const address of members.has(id) ? (identities['email'] ?? []) : [])
      owners.set(address.toLowerCase(), [...(owners.get(address.toLowerCase()) ?? []), id])
  const alone = [...owners].filter(([address, ids]) => ids.length === 1 && plain.test(address))
  return new Map(alone.map(([address, [id = '']]) => [address, id]))
}

const plain = /^contact\d+@example\.com$/

const quoted = (cell: string) => (/[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

function tableOf(rows: readonly Row[]): string {
  const headings = Object.keys(rows[0] ?? {})
  const lines = [headings, ...rows.map((row) => headings.map((name) => row[name] ?? ''))]
  return lines.map((cells) => `${cells.map(quoted).join(',')}\n`).join('')
}

function readTable(stage: Stage, path: string): readonly Row[] | undefined {
  const text = stage.world.disk.readFile(path)?.toString()
  return text === undefined ? undefined : parse(text, { columns: true, bom: true })
}

/** Matches a table against a list that others may change meanwhile; nothing when it did not come to its end. */
async function match(stage: Stage, dice: Dice, table: string, list: string) {
  const path = stage.place('csv')
  const words = ['contacts', 'match', '--file', table, '--in', list, '--annotate', path]
  const before = addressesOn(stage, list)
  const watched = watch(stage, () => addressesOn(stage, list))
  const ended = stage.disturbed(dice, [...words, '--json'], {
    machine: dice.pick(stage.world.machines),
  })
  const others = dice.fork()
  if (others.chance(0.3)) await changeWhile(stage, others, list)
  const process = await ended
  const stayed = watched.end()
  const { code } = process
  const claim = stage.judge.claimOf(process)
  const rows = readTable(stage, path)
  if (code !== 0 && code !== 3) {
    const isFailed = code !== undefined && code !== 2 && process.signal === undefined
    // A disk can fail in the sync of the folder, when the table has its name already.
    claim(
      !isFailed || rows === undefined || process.hasBrokenDisk,
      `exit ${code}, and there is a table`,
    )
    return undefined
  }
  claim(rows !== undefined, `exit ${code}, and there is no table`)
  if (rows === undefined) return undefined
  for (const row of rows) judgeRow(stage, process, row, { before, stayed })
  const isDone = rows.every(({ MATCH }) => MATCH === 'one' || MATCH === 'no')
  claim(isDone === (code === 0), `exit ${code} for ${rows.length} rows`)
  return { process, path, rows }
}

/** Contacts who stayed are found, and no others. Rows that a person has decided are skipped. */
function judgeRow(
  { judge }: Stage,
  process: SimulatedProcess,
  { Email = '', MATCH, contactId, decided }: Row,
  { before, stayed }: Record<'before' | 'stayed', ReadonlyMap<string, string>>,
): void {
  if (decided !== '') return
  const claim = judge.claimOf(process)
  const id = stayed.get(Email.toLowerCase())
  const said = `${Email} is ${MATCH} ${contactId}`
  if (id !== undefined) claim(MATCH === 'one' && contactId === id, `${said}, and it is ${id}'s`)
  // A contact that joined meanwhile may be found or not.
  if (id === undefined && !before.has(Email.toLowerCase()) && Email.startsWith('nobody'))
    claim(MATCH === 'none' && contactId === '', `${said}, and it is nobody's`)
}

/** A person's hand: `no`, another contact's id, rows in another order. */
function edit(stage: Stage, dice: Dice, rows: readonly Row[]): Row[] {
  const edited = rows.map((row) => {
    const kind = row['MATCH'] === 'one' ? dice.pick(['keep', 'no', 'other']) : 'keep'
    if (kind === 'no') return { ...row, MATCH: 'no', contactId: '', decided: 'no' }
    if (kind !== 'other') return row
    const other = dice.pick(stage.stock.free)
    return { ...row, contactId: other, decided: other }
  })
  return dice.chance(0.5) ? dice.some(edited, Infinity) : edited
}

/** The decisions of a person are in the table that is matched again. */
function judgeKept(
  { judge }: Stage,
  process: SimulatedProcess,
  rows: readonly Row[],
  edited: readonly Row[],
): void {
  const claim = judge.claimOf(process)
  claim(rows.length === edited.length, `${rows.length} of ${edited.length} rows`)
  for (const [n, { decided = '', Email }] of edited.entries()) {
    const { MATCH, contactId, decided: still } = rows[n] ?? {}
    const isKept = decided === 'no' ? MATCH === 'no' && contactId === '' : contactId === decided
    claim(
      decided === '' || (isKept && still === decided),
      `${Email} was decided to be ${decided}, and is ${MATCH} ${contactId}`,
    )
  }
}

export const people = {
  async people(stage: Stage, dice: Dice) {
    const list = dice.pick(stage.stock.lists)
    const known = dice.some([...addressesOn(stage, list).keys()], dice.whole(1, 5))
    const nobody = Array.from(
      { length: dice.whole(0, 2) },
      () => `nobody${dice.hex(6)}@example.com`,
    )
    const rows = dice
      .some([...known, ...nobody], Infinity)
      .map((Email, n) => ({ Email, Note: `"${n}; x,\ny"`, decided: '' }))
    if (rows.length === 0) return
    const first = await match(stage, dice.fork(), stage.text(tableOf(rows), 'csv'), list)
    if (first === undefined) return
    const edited = edit(stage, dice, first.rows)
    const table = stage.text(tableOf(edited), 'csv')
    const second = await match(stage, dice.fork(), table, list)
    if (second === undefined) return
    judgeKept(stage, second.process, second.rows, edited)
    const ids = second.rows.flatMap((row) =>
      row['MATCH'] === 'one' ? [row['contactId'] ?? ''] : [],
    )
    if (ids.length > 0) await begin(stage, dice, typeFile(stage, dice, second.path, ids))
  },
}
