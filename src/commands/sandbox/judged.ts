/**
 * What is wrong with the end of a script, judged by the service alone: by its state, by its record of the requests, and by what the
 * runs and receipts claim, held against that record. Pure.
 */
import { operations } from '../../api/operations.ts'
import type { Company } from '../../sandbox/company.ts'
import type { RecordEntry } from '../../sandbox/record.ts'
import { grouped } from '../../words.ts'

/** A request as the service saw it, with its body. */
export type Sent = RecordEntry & { readonly body: string }

/** What came of a script, from outside. */
export interface Rehearsed {
  /** Of each start; of two that were started together, one after the other. */
  readonly exitCodes: readonly number[]
  /** The last of each. */
  readonly lastCodes: readonly number[]
  readonly sent: readonly Sent[]
  readonly state: ReadonlyMap<string, string>
  /** `<outcome> <id>`: what the runs and the receipts say. */
  readonly claims: ReadonlySet<string>
  /** The ids of which receipts are there. */
  readonly receipts: ReadonlySet<string>
  readonly stderr: string
  /** What svc said when the last repeat failed. */
  readonly lastError: string | undefined
}

export const isFinished = (code: number): boolean => code === 0 || code === 3

/** The lists that are there at the start, by id. */
export function namesOf(company: Company): Map<string, string> {
  return new Map(Array.from(company.allLists(), ({ id, name }) => [id, name]))
}

/**
 * What a script can change, each fact by a name that ends with the id which it is about. Times are none: they always differ. A
 * list that the script made is known by its place among those, since each start makes ids of its own.
 */
export function stateOf(company: Company, names: ReadonlyMap<string, string>): Map<string, string> {
  const state = new Map<string, string>()
  for (const { createdAt: _, updatedAt: __, id, ...contact } of company.contacts())
    state.set(`contact ${id}`, JSON.stringify(contact))
  for (const { id, assigneeId } of company.tickets.all()) state.set(`ticket ${String(id)}`, String(assigneeId))
  const lists = [...company.allLists()]
  const made = lists.filter(({ id }) => !names.has(id)).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const list of lists) {
    const known = names.get(list.id)
    const key = known === undefined ? `new list ${made.indexOf(list) + 1}` : `list "${known}" ${list.id}`
    state.set(`name of ${key}`, list.name).set(`description of ${key}`, list.description ?? '')
    for (const id of list.memberIds) state.set(`on ${key}: contact ${id}`, '')
  }
  return state
}

/** The facts in which two ends differ. */
export function differences({ state: one }: Rehearsed, { state: other }: Rehearsed): string[] {
  const all = new Set([...one.keys(), ...other.keys()])
  return [...all].filter((key) => one.get(key) !== other.get(key) || one.has(key) !== other.has(key))
}

/** The undisturbed end, and what is set aside. */
export interface Model {
  readonly end: Rehearsed
  /** Facts that differ between two undisturbed ends. */
  readonly aside: ReadonlySet<string>
}

/** Everything that is wrong, in words; nothing when all is right. */
export function problemsOf(end: Rehearsed, { end: model, aside }: Model): string[] {
  const unfinished = end.lastCodes.find((code) => !isFinished(code))
  const untold = toldOpen(end, model)
  const other = differences(end, model).filter((key) => !aside.has(key) && !untold.has(idOf(key)))
  const falseBefore = new Set(falseClaims(model))
  const wrong = falseClaims(end).filter((claim) => !falseBefore.has(claim))
  const again = [...sentAgain(end.sent)].filter(([key, times]) => times > (sentAgain(model.sent).get(key) ?? 0))
  const howItDiffers = (key: string): string =>
    !end.state.has(key) ? 'is missing' : model.state.has(key) ? 'differs' : 'should not be there'
  const lost = [...model.receipts].filter((id) => !end.receipts.has(id))
  return [
    ...(unfinished === undefined
      ? []
      : [
          `still ends with ${unfinished} when it is repeated${end.lastError === undefined ? '' : `: ${end.lastError}`}`,
        ]),
    ...said(other, (key) => `another end: ${key} ${howItDiffers(key)}`),
    ...said(again, ([key]) => `sent again after it was applied: ${key}`),
    ...said(
      wrong.filter((claim) => claim.startsWith('not-found')),
      (claim) => `deleted in this rehearsal, but told as not-found: ${idOf(claim)}`,
    ),
    ...said(
      wrong.filter((claim) => !claim.startsWith('not-found')),
      (claim) => `told, but not so on the service: ${claim}`,
    ),
    ...said(lost, (id) => `no receipt is left of ${id}`),
  ]
}

function said<T>(found: readonly T[], words: (first: T) => string): string[] {
  const [first] = found
  if (first === undefined) return []
  return [`${words(first)}${found.length > 1 ? ` and ${grouped(found.length - 1)} more` : ''}`]
}

const idOf = (key: string): string => key.split(' ').at(-1) ?? ''

/** Ids that an end with exit code 3 tells as not done: a person looks at them. Of a merge, its target too. */
function toldOpen({ lastCodes, claims }: Rehearsed, model: Rehearsed): Set<string> {
  if (!lastCodes.includes(3)) return new Set()
  const open = [...claims].filter((claim) => /^(?:unknown|undetermined|error) /.test(claim)).map(idOf)
  const targets = model.sent.flatMap(({ merged }) => (merged && open.includes(merged.source) ? [merged.target] : []))
  return new Set([...open, ...targets])
}

/** Claims that the record contradicts. */
function falseClaims({ claims, sent }: Rehearsed): string[] {
  const ids = (name: 'deleted' | 'blocked' | 'added' | 'skipped' | 'failed'): Set<string> =>
    new Set(sent.flatMap((entry) => entry[name] ?? []))
  const [deleted, onList] = [ids('deleted'), new Set([...ids('added'), ...ids('skipped')])]
  const [blocked, failed] = [ids('blocked'), ids('failed')]
  const isSo: Readonly<Record<string, (id: string) => boolean>> = {
    deleted: (id) => deleted.has(id),
    'not-found': (id) => !deleted.has(id),
    blocked: (id) => blocked.has(id),
    ok: (id) => onList.has(id),
    missing: (id) => failed.has(id),
  }
  return [...claims].filter((claim) => isSo[claim.split(' ')[0] ?? '']?.(idOf(claim)) === false)
}

/** Requests that must not be sent twice, and how often they were sent after they had been applied. */
function sentAgain(sent: readonly Sent[]): Map<string, number> {
  const applied = new Set<string>()
  const again = new Map<string, number>()
  for (const { operation, method, path, body, applied: isApplied } of sent) {
    if (operation === null || operations[operation].retry !== 'once') continue
    const key = `${method} ${path} ${body}`
    if (applied.has(key)) again.set(key, (again.get(key) ?? 0) + 1)
    if (isApplied) applied.add(key)
  }
  return again
}
