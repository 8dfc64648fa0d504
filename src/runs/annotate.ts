/** `--annotate`: the input again, each row of it that was shown followed by the outcome of its id and the reason. */
import { AnnotatedTable } from '../input/annotated.ts'
import { groupDigits } from '../words.ts'
import type { BegunLog } from './jobs/recorded.ts'
import { meanings } from './outcomes.ts'
import { receiptsOf, type Receipt } from './receipts.ts'

/** The table to write to this path, which takes the rows as they are read. `headings`: those of a table without any. */
export function annotatedTable(path: string, headingsOfRead: readonly string[]) {
  return new AnnotatedTable(path, { headings: ['OUTCOME', 'REASON'], headingsOfRead })
}

/** The annotated file, piece by piece. */
export function annotatedBytes(table: AnnotatedTable, log: BegunLog) {
  const byId = new Map<string, Receipt>()
  for (const receipt of receiptsOf(log)) byId.set(receipt.id.toLowerCase(), receipt)
  const firstLines = new Map<string, number>()
  return table.bytes(({ line, finding }) => {
    if (finding.kind === 'invalid') return ['invalid', finding.problem.reason]
    if (finding.kind === 'left-out') return ['left-out', finding.reason]
    if (finding.kind !== 'found') return undefined
    const id = finding.id.toLowerCase()
    const first = firstLines.get(id) ?? line
    firstLines.set(id, first)
    const same =
      first === line ? '' : `the same id as in ${table.unit} ${groupDigits(first)}`
    const receipt = byId.get(id)
    if (receipt === undefined)
      throw new RangeError(`line ${line} has an id that the run does not have`)
    return [
      receipt.outcome,
      [same, reasonOf(receipt)].filter((part) => part !== '').join('; '),
    ]
  })
}

/** The reason without the status, which the receipts have. */
function reasonOf({ outcome, message }: Receipt) {
  const said = message?.replace(/ ?\(?\bHTTP \d{3}\b[):,]*/g, '').trim() ?? ''
  return [meanings[outcome], said].filter((part) => part !== '').join(': ')
}
