/**
 * Employees that a file of pairs names: each name is compared once, as everywhere, and all that cannot be taken are told together.
 * `read-job.ts` resolves them after everything that is local was checked, since that reads the employees.
 */
import {
  describeCandidate,
  matchesOf,
  parseReference,
  type NameMatch,
  type Reference,
} from '../../api/names.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Pair } from '../../input/pairs.ts'
import { say, svc } from '../../message.ts'
import { safe, shorten } from '../../safe-text.ts'
import { groupDigits, pluralize } from '../../words.ts'
import type { BulkTools } from '../tools.ts'
import type { IdOf } from './job.ts'

type Tools = Pick<BulkTools, 'ask' | 'employees'>

/** A text of the column `employee`, and the lines that have it. */
interface Name {
  readonly text: string
  readonly firstLine: number
  count: number
}

/** The id that a name stands for, or why that is not known. */
type Resolution =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'near'; readonly id: string; readonly name: string }
  | { readonly kind: 'problem'; readonly lines: readonly string[] }

/** Names that an error lists, and people that it offers for each: more is no help in a terminal. */
const mostNames = 20
const mostCandidates = 5

/** Asks about names that are nearly somebody's. Throws exit 6 with every name that cannot be taken, exit 9 when one is declined. */
export async function resolveEmployees(tools: Tools, pairs: readonly Pair[]): Promise<IdOf> {
  const names = namesIn(pairs)
  const resolutions = new Map<Name, Resolution>()
  for (const name of names) resolutions.set(name, await resolve(tools, name.text))
  const all = [...resolutions]
  if (all.some(([, { kind }]) => kind === 'problem')) throw refusalOf(resolutions)
  for (const [{ text }, resolution] of all) {
    if (resolution.kind !== 'near') continue
    const { name, id } = resolution
    const answer = await tools.ask(
      `No employee is called "${shorten(text)}". Use "${safe(name)}" (${id})?`,
    )
    if (answer === undefined) throw refusalOf(resolutions)
    if (!answer) throw new SvcError('confirm', 'declined; nothing was sent')
  }
  const ids = new Map(
    all.flatMap(([{ text }, resolution]) =>
      resolution.kind === 'problem' ? [] : [[text, resolution.id] as const],
    ),
  )
  return (text) => ids.get(text) ?? text
}

/** Different texts of the file, in the order in which they first come. */
function namesIn(pairs: readonly Pair[]): Name[] {
  const names = new Map<string, Name>()
  for (const { other: text, line } of pairs) {
    const before = names.get(text)
    if (before === undefined)
      names.set(text, {
        text,
        firstLine: line,
        count: 1,
      })
    else before.count += 1
  }
  return [...names.values()]
}

async function resolve({ employees }: Tools, text: string): Promise<Resolution> {
  let reference: Reference
  try {
    reference = parseReference(text, 'employee')
  } catch (error) {
    return { kind: 'problem', lines: [messageOf(error)] }
  }
  if (reference.kind === 'id') return { kind: 'id', id: reference.id }
  return judge(reference.name, matchesOf(await employees(), reference))
}

/** The one employee of that name, the one that is nearly called so, or what to write instead. */
function judge(typed: string, match: NameMatch): Resolution {
  const nobody = `no employee is called "${shorten(typed)}"`
  if (match.kind === 'none') {
    const meant = match.nearest === undefined ? '' : `; did you mean "${safe(match.nearest)}"?`
    return { kind: 'problem', lines: [`${nobody}${meant}`] }
  }
  const { kind, candidates } = match
  const [first, ...others] = candidates
  if (first !== undefined && others.length === 0) {
    if (kind === 'exact') return { kind: 'id', id: first.id }
    return { kind: 'near', id: first.id, name: first.name }
  }
  const count = groupDigits(candidates.length)
  const headline = {
    exact: `${count} employees are called "${shorten(typed)}"`,
    near: `${nobody} exactly, and ${count} are nearly called so`,
  }[kind]
  const shown = candidates.slice(0, mostCandidates)
  const more = candidates.length - shown.length
  return {
    kind: 'problem',
    lines: [
      `${headline}; choose one by its id:`,
      ...shown.map((candidate) => `  ${describeCandidate(candidate, typed)}`),
      ...(more > 0 ? [`  and ${groupDigits(more)} more`] : []),
    ],
  }
}

/** All names but those that stand for one employee. */
function refusalOf(resolutions: ReadonlyMap<Name, Resolution>): SvcError {
  const wrong = [...resolutions].filter(([, { kind }]) => kind !== 'id')
  const lines = wrong.slice(0, mostNames).flatMap(([name, resolution]) => {
    const [headline = '', ...more] = linesOf(name, resolution)
    return [`${placeOf(name)}: ${headline}`, ...more]
  })
  if (wrong.length > mostNames) {
    lines.push(`and ${groupDigits(wrong.length - mostNames)} more names`)
  }
  const count = pluralize(wrong.length, 'employee name is', 'employee names are')
  return new SvcError('rejected', `${count} unknown or ambiguous; nothing was sent`, {
    lines,
    hint: say`write exact names or ids into the file; see them with:\n  ${svc`employees list --limit all`}`,
  })
}

function linesOf({ text }: Name, resolution: Resolution): readonly string[] {
  if (resolution.kind === 'problem') return resolution.lines
  if (resolution.kind === 'id') return []
  return [`no employee is called "${shorten(text)}", but one is called "${safe(resolution.name)}"`]
}

function placeOf({ firstLine, count }: Name): string {
  const others = count === 1 ? '' : ` and ${groupDigits(count - 1)} more`
  return `line ${groupDigits(firstLine)}${others}`
}
