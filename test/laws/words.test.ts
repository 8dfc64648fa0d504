/** The words that people read. If red, a text has a word for which there is a plainer one. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nouns, verbs } from '../../src/program/commands.ts'
import { pageAt } from '../support/pages.ts'
import { createWorld, root } from '../support/svc.ts'
import { allPages } from '../support/tree.ts'

/** Each word with what to write in its place. */
type Words = readonly (readonly [word: RegExp, instead: string])[]

/** Words that sound translated, or that name one thing in several ways. */
const translated: Words = [
  [/\b(?:is|are|was|were) (?:told|named|said)\b/, 'svc reports, lists, or prints'],
  [/\b(?:says|said|told)\b/, 'shows, prints, lists, explains'],
  [/\b(?:of|by) (?:which|whom)\b|\bto whom\b/, 'repeat the noun'],
  [/\b(?:that|those) of\b/, 'repeat the noun'],
  [/\bwhat is (?:left|due|unfinished|unknown|sent)\b/, 'name it: the ids that are left'],
  [/(?:^|[.:!?] )(?:Of (?:a|an|the|two|several)|Without an answer)\b/, 'subject and verb first'],
  [/\bwho(?:m|so)?ever\b/, 'anyone who'],
  [/\bsomebody\b/, 'someone'],
  [/\banybody\b/, 'anyone'],
  [/\banymore\b|\bany more\b/, 'no longer'],
  [/\bmeanwhile\b/, 'in the meantime'],
  [/\bby now\b|\bfor now\b/, 'past tense, or temporarily'],
  [/\bat best\b/, 'even if all else succeeds'],
  [/\bgo(?:es)? on\b|\b(?:went|gone) on\b/, 'resume, continue'],
  [/\bgo(?:es)? away\b|\bwent away\b/, 'stopped'],
  [/\bbreaks? off\b|\bmend(?:s|ed)?\b/, 'stop; fix'],
  [/(?<!leaves one )\bbehind\b/, 'after'],
  [/\bbeside\b/, 'next to, in addition to'],
  [/(?<!there |There )\b(?:is|are) no\b(?! longer)/, 'is not a'],
  [/\balso (?:for|if|when|later|those|of|from|to one|a)\b/, 'even, including'],
  [/\bfits\b/, 'matches'],
  [/\bspeaks? (?:against|for)\b/, 'conflicts'],
  [/\bstands? (?:for|here|there|on|under)\b/, 'means, is'],
  [/\bmeets? (?:an|every|each|all)\b/, 'affects'],
  [/\b(?:was|were|is|are) taken\b/, 'processed'],
  [/\bunder way\b/, 'in flight'],
  [/\brepeatable\b/, 'repeat for more'],
  [/\bblanks\b|\bletter case\b/, 'spaces; case'],
  [/\bline ends?\b/, 'line ending'],
  [/\btried only\b/, 'tested only'],
  [/\bnpx\b/, 'npm install -g .'],
  [/(?<!\b(?:[Ee]mail|IP) )\baddress(?:es)?\b/, 'email address, or URL'],
]

/** Words for developers of svc. */
const engineering: Words = [
  [/\bbatch(?:es)?\b(?! file)/, 'request'],
  [/\battempts?\b/, 'request'],
  [/\b(?:the|its|a) turn\b/, 'svc works on the run'],
  [/\bjournal\b|\bledger\b/, 'record'],
]

/** The words that a text has and should not have. */
function found(text: string, words: Words): string[] {
  return words.flatMap(([word, instead]) => {
    const [hit] = word.exec(text) ?? []
    return hit === undefined ? [] : [`${hit.trim()}: ${instead}`]
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
const forUsers = [
  'README.md',
  'SECURITY.md',
  ...'guide scripting reliability'.split(' ').map((name) => `docs/${name}.md`),
  ...topics.split(' ').map((name) => `docs/topics/${name}.md`),
]
const forDevelopers = [
  'CONTRIBUTING.md',
  ...'architecture figures releasing'.split(' ').map((name) => `docs/${name}.md`),
]
/** This page explains attempts. */
const explaining = ['docs/reliability.md']

describe('documents', () => {
  test.each(forUsers)('%s', (path) => {
    const isExplaining = explaining.includes(path)
    const words = engineering.filter(([word]) => !(isExplaining && word.test('attempt')))
    expect(found(proseOf(pageAt(path).text), [...translated, ...words])).toEqual([])
  })

  test.each(forDevelopers)('%s', (path) => {
    expect(found(proseOf(pageAt(path).text), translated)).toEqual([])
  })

  test('the part of the changelog for 10.0', () => {
    const [, part = ''] = /^## 10\.0\.0$([^]*?)^## 9/m.exec(pageAt('CHANGELOG.md').text) ?? []
    expect(part).not.toBe('')
    expect(found(proseOf(part), [...translated, ...engineering])).toEqual([])
  })
})

const { svc } = createWorld()

/** The words that the help of a command and its summary have and should not have. */
async function foundInHelp(path: string): Promise<string[]> {
  const name = path.replace(/^svc ?/, '')
  const { stdout } = await svc(`${name} --help`)
  const text = `${stdout.replaceAll(/\s+/g, ' ')} ${verbs[name] ?? nouns[name]?.summary ?? ''}`
  return found(text, [...translated, ...engineering])
}

describe('helps', () => {
  test.each(allPages.map(({ path }) => path))('%s', async (path) => {
    expect(await foundInHelp(path)).toEqual([])
  })
})

/** The service and gateways write these. */
const ofOthers = /^src\/sandbox\/|Proxy response/

describe('messages', () => {
  const script = join(root, 'tools/build/messages.mjs')
  const printed = execFileSync(process.execPath, [script], { cwd: root, encoding: 'utf8' })
  const messages = printed.trimEnd().split('\n')
  const ofRuns: Words = [[/\bis held\b|\b(?:is|was) lost\b/, 'is being worked on, got no answer']]
  const wordsOfMessages = [...translated, ...engineering, ...ofRuns]

  test('are all found', () => {
    expect(messages.length).toBeGreaterThan(500)
    const kinds = new Set(messages.map((line) => line.split('\t')[1]))
    expect(kinds).toEqual(new Set('error help hint internal message note text'.split(' ')))
  })

  test('have none of these words', () => {
    const wrong = messages.flatMap((line) => {
      const [, kind, text = ''] = line.split('\t')
      const hits = kind === 'internal' || ofOthers.test(line) ? [] : found(text, wordsOfMessages)
      return hits.map((hit) => `${line}\t${hit}`)
    })
    expect(wrong).toEqual([])
  })
})

test('each word is found in a sentence that has it', () => {
  const hits = [
    ...found('A file that is told of. Of a merge, look at both. It is no table.', translated),
    ...found('2 ids are open in a batch, after an attempt that has the turn.', engineering),
  ]
  expect(hits.map((hit) => hit.split(':')[0]).join(', ')).toBe(
    'is told, told, . Of a, is no, batch, attempt, the turn',
  )
})
