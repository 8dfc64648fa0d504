/** The error of pairs of a file that contradict each other, for the checks of `merge.ts` and `assign.ts`. */
import { SvcError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'

const mostNamed = 20

/** Exit 2, with each problem on a line of its own. */
export function contradiction(problems: readonly string[]): SvcError {
  const more = problems.length - mostNamed
  const rest = more > 0 ? [`and ${groupDigits(more)} more`] : []
  const lines = [...problems.slice(0, mostNamed), ...rest]
  return new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
    lines,
  })
}
