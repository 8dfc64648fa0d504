/** Whole numbers in a typed array that grows: a million of them take four megabytes, or eight when they may be large. */
export class Numbers {
  length = 0
  #values: Uint32Array | Float64Array

  constructor(isLarge = false) {
    this.#values = isLarge ? new Float64Array(1024) : new Uint32Array(1024)
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const old = this.#values
      this.#values = old instanceof Uint32Array ? new Uint32Array(old.length * 2) : new Float64Array(old.length * 2)
      this.#values.set(old)
    }
    this.#values[this.length] = value
    this.length += 1
  }

  at(index: number): number {
    return this.#values[index] ?? 0
  }

  sorted(): Float64Array {
    return Float64Array.from(this.#values.subarray(0, this.length)).sort()
  }

  set(index: number, value: number): void {
    this.#values[index] = value
  }
}
