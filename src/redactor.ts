/** Hides the secrets of a process, plain and as JSON has them, in everything that svc shows or keeps. */
import { isObject } from './values.ts'

const mask = '[hidden]'

/** In characters. Anything shorter occurs in ordinary words, so it could not be hidden. */
export const shortestSecret = 8

export class Redactor {
  readonly #forms = new Set<string>()

  /** From now on hides this secret, unless it is too short. */
  addSecret(secret: string) {
    if (secret.length < shortestSecret) return
    this.#forms.add(secret)
    this.#forms.add(JSON.stringify(secret).slice(1, -1))
  }

  /** Whether a text contains a secret. */
  hasSecret(text: string): boolean {
    return this.hide(text) !== text
  }

  /** A text without secrets, or a copy of a document without them in its texts and names. */
  hide<T>(value: T): T {
    return this.#hidden(value) as T
  }

  #hidden(value: unknown): unknown {
    if (typeof value === 'string')
      return [...this.#forms].reduce((text, form) => text.replaceAll(form, mask), value)
    if (Array.isArray(value)) return value.map((item: unknown) => this.#hidden(item))
    // The copy of an instance of a class would lose its methods.
    if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(
      Object.entries(value).map((member) => member.map((part) => this.#hidden(part))),
    )
  }
}
