/** Words that were stumbled over do not come back. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../svc.ts'
import { program } from '../tree.ts'
import { markdown } from './manual.ts'
import { documents } from './pages.ts'
import { findingsIn, forbidden } from './words.ts'

type Texts = readonly (readonly [where: string, text: string])[]

/** The text without terminals, whose words are the program's. */
function ownWords(markdown: string): string {
  return markdown.replaceAll(/^```console\n[^]*?^```$/gm, '')
}

const all: Readonly<Record<string, () => Texts | Promise<Texts>>> = {
  documents: () => documents().map(({ path, text }) => [path, ownWords(text)] as const),
  /** The help of every command and topic, each under its own title. */
  help: () =>
    markdown(program)
      .split(/^(?=#+ )/m)
      .map((chapter) => [chapter.split('\n', 1)[0] ?? '', chapter] as const),
  /** Messages, prompts and notes: texts of more than one word in the source. */
  messages: () =>
    readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map(
        (path) => [`src/${path}`, textsOf(readFileSync(join(root, 'src', path), 'utf8'))] as const,
      ),
}

function textsOf(source: string): string {
  const code = source.replaceAll(/^ *(?:\/\/|\/\*|\*).*$/gm, '')
  const literals = code.match(/'(?:[^'\\\n]|\\.)+'|`(?:[^`\\]|\\.)+`/g) ?? []
  return literals.filter((text) => text.includes(' ') && !text.includes('=>')).join('\n')
}

/** All of them are held to the words. */
const held: readonly string[] = Object.keys(all)

test.each(held)('the %s have no forbidden words', async (name) => {
  const texts = (await all[name]?.()) ?? []
  expect(texts.length).toBeGreaterThan(3)
  expect(texts.flatMap(([where, text]) => findingsIn(where, text))).toEqual([])
})

test('each forbidden word is one that would be found', () => {
  const sentence =
    'Mend the colour of a licence, with 5 ids a request; to go on, settle what was carried out: is not that.'
  const found = findingsIn('here', sentence).map((finding) => finding.found)
  expect(found.length).toBeGreaterThanOrEqual(8)
  for (const [pattern, instead] of forbidden)
    expect(findingsIn('here', instead), String(pattern)).toEqual([])
})

/** A comment or the name of a test that begins with a word which stands for its subject. */
const withoutSubject =
  /^ *(?:\/\*\*|\*|\/\/) +(?:What|Who|Whoever|Of|That of|Those of|Whose) |\b(?:test|it|describe)(?:\.each.*)?\(['`](?:what|who|whoever|which) /

test('comments and names of tests begin with their subject', () => {
  const folders = ['src', 'bin', 'tools', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path),
    ),
  )
  const found = folders
    .filter((path) => /\.(?:ts|mjs|cjs)$/.test(path) && !path.includes('node_modules'))
    .flatMap((path) => linesWith(withoutSubject, path))
  expect(found).toEqual([])
})

/** The lines of a file in which a pattern is found, with their place. */
function linesWith(pattern: RegExp, path: string): string[] {
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : []))
}
