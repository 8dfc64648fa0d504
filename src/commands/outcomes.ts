import { parseChoice } from '../values.ts'
import { outcomes, type Outcome } from '../bulk/operations/outcome.ts'

/** `--outcome a,b`. Throws exit 2 on one that does not exist. */
export function parseOutcomes(text: string): Outcome[] {
  return text.split(',').map((word) => parseChoice(word.trim(), '--outcome', outcomes))
}
