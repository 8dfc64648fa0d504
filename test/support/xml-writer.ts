/** XML as programs write it: with or without prefixes, blanks, comments, CDATA and references, as chance has it. */
import type { Dice } from './dice.ts'

type Attributes = Readonly<Record<string, string | number | undefined>>

export class XmlWriter {
  readonly dice: Dice
  readonly #prefix: string
  readonly #isSpaced: boolean
  readonly #quote: string

  constructor(dice: Dice) {
    this.dice = dice
    this.#prefix = dice.pick(['', '', 'x:'])
    this.#isSpaced = dice.isLucky(0.3)
    this.#quote = dice.pick(['"', "'"])
  }

  /** A whole part of a package, whose elements are of a namespace. */
  part(name: string, namespace: string, inside: string, attributes: Attributes = {}): string {
    const begin = ['', '\ufeff', '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n']
    const declared = { [this.#prefix === '' ? 'xmlns' : 'xmlns:x']: namespace, ...attributes }
    return this.dice.pick(begin) + this.element(name, declared, inside)
  }

  element(name: string, attributes: Attributes, inside = ''): string {
    const tag = `${this.#prefix}${name}`
    const start = `<${tag}${this.#attributes(attributes)}`
    return inside === '' && this.dice.isLucky(0.5) ? `${start}/>` : `${start}>${inside}</${tag}>`
  }

  #attributes(all: Attributes): string {
    const [gap, equals] = this.#isSpaced ? ['  ', ' = '] : [' ', '=']
    return Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          `${gap}${name}${equals}${this.#quote}${escaped(String(value))}${this.#quote}`,
      )
      .join('')
  }

  /** Elements with something between them that says nothing. */
  spaced(elements: readonly string[]): string {
    const gaps = ['\n  ', ' ', '<!-- <c r="A1"/> -->', '<?x y?>', '\r\n\t']
    const gap = () => (this.#isSpaced ? this.dice.pick(gaps) : '')
    return elements.map((each) => gap() + each).join('') + gap()
  }

  /** Letters and digits. */
  text(words: string): string {
    if (this.dice.isLucky(0.15)) return `<![CDATA[${words}]]>`
    const reference = (letter: string) => `&#x${letter.charCodeAt(0).toString(16)};`
    return Array.from(words, (each) => (this.dice.isLucky(0.02) ? reference(each) : each)).join('')
  }
}

const escaped = (value: string) =>
  value.replaceAll(/[&<"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
