/** Texts of files with ids in short, and what is read of them in short. */
import { shownText } from './shown-text.ts'
import { SvcError } from '../../src/errors.ts'
import { idOf, read, type Options } from './inputs.ts'

export const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const known = new Map(
  [a, b, c, d]
    .flatMap((id, n) => [[id, 'abcd'[n] ?? ''] as const])
    .concat([[a.toUpperCase(), 'A']]),
)

/** `@a` to `@d` are ids, `@A` is the first in capitals. */
export function text(short: string): string {
  return short.replace(
    /@([a-dA])/g,
    (_, letter: string) => [...known].find(([, each]) => each === letter)?.[0] ?? '',
  )
}

/** UTF-16 with a byte order mark unless told otherwise. */
export function utf16(short: string, isBig = false, mark = '\ufeff'): Buffer {
  const bytes = Buffer.from(mark + text(short), 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

export const merge: Options = { sides: ['source', 'target'] }
export const assign: Options = { sides: ['ticket', 'employee'] }

/** A text, and what is read of it: see `reading`. */
export type Case = [name: string, content: string | Buffer, expected: string, options?: Options]

const shortOf = (id: string): string => known.get(id) ?? id

/**
 * Ids with their lines (`a1 b2`) or pairs (`a>b1`), and behind bars what was counted and how many notes there were; of a refusal `!`
 * with its words.
 */
export async function reading(content: string | Buffer, options: Options = {}): Promise<string> {
  try {
    const found = await read(Buffer.isBuffer(content) ? content : text(content), options)
    const short = found.items.map(({ id, other, line }) =>
      [shortOf(id), ...(other === undefined ? [] : ['>', shortOf(other)]), line].join(''),
    )
    const { duplicates, leftOut, undecided, notes } = found
    if (found.read !== short.length + duplicates) return `${found.read} were read`
    const counts = Object.entries({
      duplicates,
      'left out': leftOut,
      undecided,
      notes: notes.length,
    })
    return [
      short.join(' '),
      ...counts.filter(([, n]) => n > 0).map(([name, n]) => `${n} ${name}`),
    ].join(' | ')
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return `!${shownText(error)}`
    throw error
  }
}
