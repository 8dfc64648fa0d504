/**
 * Texts of files with ids in short, and what is read of them in short: the notation of
 * test/input/items.txt.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError } from '../../src/errors.ts'
import { idOf, read, type Options } from './inputs.ts'
import { shownText } from './shown-text.ts'
import { root, wordsOf } from './svc.ts'

export const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const [A, B] = [a.toUpperCase(), b.toUpperCase()]
const idByLetter: Readonly<Record<string, string>> = { a, b, c, d, A, B }
const letterById = new Map(Object.entries(idByLetter).map(([letter, id]) => [id, letter]))

/** A text with the ids of `@a` to `@d`; `@A` is the first in capitals. */
const text = (short: string): string =>
  short.replace(/@([a-dAB])/g, (_, letter: string) => idByLetter[letter] ?? '')

/** A text, and what is read of it: see `reading`. */
export type Case = [name: string, content: string | Buffer, expected: string, options?: Options]

const shortOf = (id: string): string => letterById.get(id) ?? id

/**
 * Ids with their lines (`a1 b2`) or pairs (`a>b1`), and behind bars what was counted and how many
 * notes there were; of a refusal `!` with its words.
 */
export async function reading(content: string | Buffer, options: Options = {}): Promise<string> {
  try {
    const found = await read(Buffer.isBuffer(content) ? content : text(content), options)
    const short = found.items.map(({ id, target, line }) =>
      [shortOf(id), ...(target === undefined ? [] : ['>', shortOf(target)]), line].join(''),
    )
    const counts = Object.entries({
      duplicates: found.counts.duplicates,
      'left out': found.counts.leftOut,
      'without id': found.counts.withoutId,
      notes: found.notes.length,
    })
    return [
      short.join(' '),
      ...counts.filter(([, n]) => n !== 0).map(([name, n]) => `${n} ${name}`),
    ].join(' | ')
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return `!${shownText(error)}`
    throw error
  }
}

const utf16 = (short: string) => Buffer.from(`\ufeff${text(short)}`, 'utf16le')
const encodings: Readonly<Record<string, (short: string) => Buffer>> = {
  'UTF-16': utf16,
  'UTF-16BE': (short) => utf16(short).swap16(),
  'Latin-1': (short) => Buffer.from(text(short), 'latin1'),
}
const optionsByName: Readonly<Record<string, Options>> = {
  merge: { arePairs: true },
  tickets: { item: 'ticket' },
}

/** The cases of a section of `items.txt`. */
export function casesOf(section: string): Case[] {
  const [, behind = ''] = readFileSync(join(root, 'test/input/items.txt'), 'utf8').split(
    `## ${section}\n`,
  )
  const [rows = ''] = behind.trimEnd().split('\n\n')
  return rows.split('\n').map((row) => {
    const [name = '', content = '', expected = '', options = ''] = row.split(/ :: ?/)
    const words = wordsOf(options)
    const encode = words.flatMap((word) => encodings[word] ?? [])[0] ?? ((short: string) => short)
    return [name, encode(unescaped(content)), unescaped(expected), optionsOf(words)]
  })
}

/** A cell without its escapes and repetitions. */
const unescaped = (cell: string): string =>
  (JSON.parse(`"${cell.replaceAll('"', '\\"')}"`) as string).replace(
    /<<(.*?)\*(\d+)>>/gs,
    (_, repeated: string, times: string) => repeated.repeat(Number(times)),
  )

function optionsOf(words: readonly string[]): Options {
  const valueOf = (option: string) => words.find((_, n) => words[n - 1] === option)
  return {
    ...Object.assign({}, ...words.map((word) => optionsByName[word] ?? {})),
    column: valueOf('--column'),
    sheet: valueOf('--sheet'),
  }
}
