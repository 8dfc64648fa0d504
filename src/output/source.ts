/** The rows on their way to a format, and what their generator returned when they are out. */
import type { Ending, Rows } from './result.ts'

/** Iterated once. */
export class RowSource<T> implements AsyncIterable<T> {
  readonly #rows: Rows<T>['rows']
  ending: Ending

  constructor({ rows, ending = {} }: Pick<Rows<T>, 'rows' | 'ending'>) {
    this.#rows = rows
    this.ending = ending
  }

  /** By hand: another generator around the rows would cost each of them as much again. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    const rows = this.#rows
    const iterator =
      Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
    const keep = (step: IteratorResult<T, Ending | undefined>): IteratorResult<T, undefined> => {
      if (step.done !== true) return step
      this.ending = step.value ?? this.ending
      return { done: true, value: undefined }
    }
    return {
      next: () => {
        const step = iterator.next()
        return step instanceof Promise ? step.then(keep) : Promise.resolve(step).then(keep)
      },
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }
  }
}
