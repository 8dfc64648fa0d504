/** The kinds and findings of a table's rows, each as a number: a million rows take a number each, and each text is there once. */
import { IdTable } from '../id-table.ts'
import type { RowFinding } from '../row.ts'

type Finding = Pick<RowFinding, 'kind' | 'finding'>

export class Findings {
  readonly #ids = new IdTable()
  /** Findings of rows without an id. */
  readonly #others: Finding[] = []
  /** Their numbers, which are negative, by kind and text. */
  readonly #numbers = new Map<string, number>()

  /** The number of a row's finding: the position of its id, or a negative one for all else. */
  numberOf({ kind, finding = '', line }: RowFinding): number {
    if (kind === 'data' && finding !== '') {
      this.#ids.addText(finding, line)
      return this.#ids.indexOf(finding)
    }
    const key = `${kind} ${finding}`
    const before = this.#numbers.get(key)
    if (before !== undefined) return before
    const number = -this.#others.push({ kind, finding })
    this.#numbers.set(key, number)
    return number
  }

  at(number: number): Finding {
    return this.#others[-1 - number] ?? { kind: 'data', finding: this.#ids.id(number) }
  }
}
