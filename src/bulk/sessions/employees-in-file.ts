/**
 * Employees that a file of pairs names: each name is compared once, as everywhere, and all that cannot be taken are told together.
 * `read-job.ts` resolves them after everything that is local was checked, since that reads the employees.
 */
import { findEmployee } from '../../api/names.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Pair } from '../../input/pairs.ts'
import { say, svc } from '../../message.ts'
import { groupDigits, pluralize } from '../../words.ts'
import type { BulkTools } from '../tools.ts'
import type { IdOf } from './job.ts'

/** Names that an error lists, and people that it offers for each: more is no help in a terminal. */
const mostNames = 20
const mostCandidates = 5

/** Throws exit 6 with every name that stands for no employee or for several. */
export async function resolveEmployees(
  { employees, messages }: Pick<BulkTools, 'employees' | 'messages'>,
  pairs: readonly Pair[],
): Promise<IdOf> {
  const lines = new Map<string, number[]>()
  for (const { other: text, line } of pairs) {
    const before = lines.get(text)
    if (before === undefined) lines.set(text, [line])
    else before.push(line)
  }
  const ids = new Map<string, string>()
  const problems: string[][] = []
  for (const [text, [first = 0, ...others]] of lines) {
    try {
      ids.set(text, (await findEmployee(employees, text, {})).id)
    } catch (error) {
      const isOfName = error instanceof SvcError && /^(rejected|usage)$/.test(error.category)
      if (!isOfName || error.details.request !== undefined) throw error
      const more = others.length === 0 ? '' : ` and ${groupDigits(others.length)} more`
      const hint = messages.textOf(error.details.hint ?? '').split('\n')
      // The commands in it help with a single name.
      const advice = hint.flatMap(
        (line) => /^(?:did you mean.*| {2}[0-9a-f]{24} .*)$/i.exec(line) ?? [],
      )
      const place = `line ${groupDigits(first)}${more}`
      problems.push([
        `${place}: ${messageOf(error)}`,
        ...advice.slice(0, mostCandidates).map((line) => `  ${line.trim()}`),
      ])
    }
  }
  if (problems.length === 0) return (text) => ids.get(text) ?? text
  const shown = problems.slice(0, mostNames).flat()
  const others = problems.length - mostNames
  const count = pluralize(problems.length, 'employee name is', 'employee names are')
  throw new SvcError('rejected', `${count} unknown or ambiguous; nothing was sent`, {
    lines: others > 0 ? [...shown, `and ${groupDigits(others)} more names`] : shown,
    hint: say`write exact names or ids into the file; see them with:\n  ${svc`employees list --limit all`}`,
  })
}
