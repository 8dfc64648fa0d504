import type { Ending } from '../../output/result.ts'

/** Rows of which the first ones are read before anybody asks for them. */
export class Ahead<T> {
  readonly #source: AsyncGenerator<T, Ending>
  readonly #held: T[] = []
  readonly #reading: Promise<Ending | undefined>
  #isWanted = false

  /** Reads up to `most` rows at once. */
  constructor(source: AsyncGenerator<T, Ending>, most: number) {
    this.#source = source
    this.#reading = this.#read(most)
    // Whoever takes the rows is told.
    this.#reading.catch(() => undefined)
  }

  async #read(most: number): Promise<Ending | undefined> {
    while (this.#held.length < most && !this.#isWanted) {
      const step = await this.#source.next()
      if (step.done === true) return step.value
      this.#held.push(step.value)
    }
    return undefined
  }

  /** Those that are held, then the others as they come. Throws what the source throws, after what came before it. */
  async *rows(): AsyncGenerator<T, Ending> {
    this.#isWanted = true
    await this.#reading.catch(() => undefined)
    yield* this.#held
    this.#held.length = 0
    return (await this.#reading) ?? (yield* this.#source)
  }

  /** Nobody wants them any more. */
  async stop(): Promise<void> {
    this.#isWanted = true
    await this.#source.return({})
  }
}
