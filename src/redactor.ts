/** Hides the secrets of this process in everything that svc prints or saves, in plain text and in JSON. */
import { isObject } from './json.ts'

const mask = '[hidden]'

/** The fewest characters that can be hidden. A shorter text also occurs in ordinary words. */
export const minSecretLength = 8

export class Redactor {
  readonly #forms = new Set<string>()

  /** Hides this secret from now on, unless it is too short. */
  addSecret(secret: string) {
    if (secret.length < minSecretLength) return
    this.#forms.add(secret)
    this.#forms.add(JSON.stringify(secret).slice(1, -1))
  }

  /** Whether a text contains a secret. */
  hasSecret(text: string): boolean {
    return this.hide(text) !== text
  }

  /** Returns a text without secrets, or a copy of a value without secrets in its texts and the names of its members. */
  hide<T>(value: T): T {
    return this.#hideIn(value) as T
  }

  #hideIn(value: unknown): unknown {
    if (typeof value === 'string')
      return [...this.#forms].reduce((text, form) => text.replaceAll(form, mask), value)
    if (Array.isArray(value)) return value.map((item: unknown) => this.#hideIn(item))
    // An instance of a class is left as it is: a copy would lose its methods.
    if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
    const members = Object.entries(value)
    return Object.fromEntries(
      members.map(([name, member]) => [this.#hideIn(name), this.#hideIn(member)]),
    )
  }
}
