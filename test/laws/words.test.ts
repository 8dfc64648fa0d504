/** One word for one thing in what users read. If red, a string has another word for it. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nouns, verbs } from '../../src/program/commands.ts'
import { pageAt } from '../support/pages.ts'
import { createWorld, root } from '../support/svc.ts'
import { allPages } from '../support/tree.ts'

/** Other words for a thing, with an example, and the word to write in their place. */
const wordsIn = (rows: string) =>
  rows
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' :: '))
    .map(
      ([other = '', example = '', word = '']) => [new RegExp(other, 'i'), example, word] as const,
    )

const words = wordsIn(String.raw`
  \b(?:bulk|nightly|scheduled) jobs?\b|\bresumes? (?:a|the|its) job\b :: a bulk job :: run, script
  \bundecided\b|\brows? to decide\b|\bskipped rows\b :: Skipped rows :: without an id, not used
  \b(?:is|are) left\b|\bleft to send\b :: ids that are left :: due, open
  \btakes? (?:it|them|the tickets?) back\b|\breturns? the tickets?\b :: to take it back :: give back
  \bheadings?\b|\bheaders?\b(?! row) :: a heading :: header row, column
  \bmessenger (?:name|value)s?\b :: a messenger name :: messenger account
  \bthrough the API\b|\bthe API cannot\b :: through the API :: the API does not offer it
  \bthe service cannot\b :: the service cannot :: svc cannot
  \b(?:an|each|the|merges and) assigns?\b :: an assign :: assignment
  \b(?:ends?|ended|fails?|failed) with (?:exit )?(?:code )?\d :: ends with 7 :: exits with code 7
  \brecords? of (?:runs|\d) :: the record of runs :: the run record
  \bdefects?\b :: a defect :: bug
  \bbatch(?:es)?\b(?! file)|\bjournal\b|\bledger\b :: a batch :: request, run record
  \battempts?\b|\b(?:the|its|a) turn\b :: an attempt :: request, svc works on the run
  (?<!Proxy )\bresponses?\b :: the response :: answer
  \bsubscriptions?\b :: the subscription :: plan
  \bscopes?\b(?! is not sufficient) :: a key with the scope :: permission
  \b(?:old|previous|expected) assignees?\b :: the old assignee :: former assignee
  \brejects?\b|\brejected\b :: svc rejects a file :: refuse
  \bunanswered\b(?! ticket)|\bunknown (?:ids?|outcomes?)\b :: unanswered :: no answer
  \bopen (?:runs?|tickets?)\b :: an open run :: unfinished run
  \bpages? of (?:results|rows)\b :: a page of rows :: rows`)

const inComments = wordsIn(String.raw`
  \bdefects?\b :: a defect :: bug
  \bunanswered\b :: an unanswered id :: no answer, without an answer
  \brecords? of runs\b :: the record of runs :: the run record
  \bsubscriptions?\b :: the subscription :: plan
  \b(?:old|previous) assignees?\b :: the old assignee :: former assignee
  \b(?:an|each) assign\b :: an assign :: assignment
  \bthe service (?:has no|cannot)\b :: the service has no search :: the API does not offer it
  \bwhoever\b|\bof whom\b :: whoever :: who, a user who`)

function found(text: string, known = words): string[] {
  return known.flatMap(([other, , word]) => {
    const [hit] = other.exec(text) ?? []
    return hit === undefined ? [] : [`${hit}: ${word}`]
  })
}

/** The sentences of a page, without code, each paragraph on one line. */
function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/`[^`]*`/g, '`')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/([^\n])\n(?!\n| *[-#|]| *\d+\.)/g, '$1 ')
}

const topics = 'bulk configuration exit-codes id-files scripting spreadsheets'
const pages = [
  'README.md',
  'SECURITY.md',
  ...'guide reliability scripting'.split(' ').map((name) => `docs/${name}.md`),
  ...topics.split(' ').map((name) => `docs/topics/${name}.md`),
]

test.each([...words, ...inComments])('%s', (other, example) => {
  expect(example).toMatch(other)
})

test('comments, and titles of tests', () => {
  const files = ['src', 'test', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|mjs|cjs)$/.test(name))
      .map((name) => join(folder, name)),
  )
  const wrong = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const comments = text.match(/\/\*\*[^]*?\*\/|(?<!\S)\/\/.*$|\b(?:it|test)\('.*'/gm) ?? []
    const prose = comments.join(' ').replaceAll(/\s+(?:\*|\/\/)?\s*/g, ' ')
    return found(prose, inComments).map((hit) => `${file}: ${hit}`)
  })
  expect(wrong).toEqual([])
})

test.each(pages)('%s', (path) => {
  expect(found(proseOf(pageAt(path).text))).toEqual([])
})

test('the newest part of the changelog', () => {
  const [, part = ''] = /^## \d+\.0\.0$([^]*?)^## /m.exec(pageAt('CHANGELOG.md').text) ?? []
  expect(part).not.toBe('')
  expect(found(proseOf(part))).toEqual([])
})

const { svc } = createWorld()

test.each(allPages.map(({ path }) => path))('the help of %s', async (path) => {
  const name = path.replace(/^svc ?/, '')
  const { stdout } = await svc(`${name} --help`)
  const summary = verbs[name] ?? nouns[name]?.summary ?? ''
  expect(found(`${stdout.replaceAll(/\s+/g, ' ')} ${summary}`)).toEqual([])
})

const script = join(root, 'tools/build/messages.mjs')
const printed = execFileSync(process.execPath, [script], { cwd: root, encoding: 'utf8' })
const messages = printed.trimEnd().split('\n')

test('messages are all found', () => {
  expect(messages.length).toBeGreaterThan(500)
  const kinds = new Set(messages.map((line) => line.split('\t')[1]))
  expect(kinds).toEqual(new Set('error help hint internal message note text'.split(' ')))
})

test('messages have one word for one thing', () => {
  const wrong = messages.flatMap((line) => {
    const [, kind, text = ''] = line.split('\t')
    return kind === 'internal' ? [] : found(text).map((hit) => `${line}\t${hit}`)
  })
  expect(wrong).toEqual([])
})
