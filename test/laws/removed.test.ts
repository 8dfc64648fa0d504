/**
 * No word of a removed promise is left: in help, documents, messages, schemas, completion or comments. CHANGELOG.md alone names them, with
 * what to use instead.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../svc.ts'

/** Words that were removed, each with a text in which it would be found. */
const removed: readonly (readonly [word: RegExp, text: string])[] = [
  // Plans are reviewed in a pull request.
  [/plans approve|\bapprovals\b|--approval\b|needsApproval/, 'svc plans approve old.plan'],
  [/\bsigners\b|svc-plan\b|allowed_signers/, 'a file of signers'],
  [/runs evidence|\bevidence\b/, 'svc runs evidence --last'],
  [/people\.ndjson|\brequireOnce\b/, 'old.plan.people.ndjson'],
  // Formats and pages.
  [/(?<!@)\btsv\b|--csv-raw\b/, 'svc lists list -o tsv'],
  [/ids dedupe/, 'svc ids dedupe ids.txt'],
  [/--man\b|--markdown\b|help schema\b/, 'svc help --man'],
  // Options that nobody typed.
  [/--first\b/, 'svc contacts find --first'],
  [/--others\b|--record\b|--empty\b|--contacts\b/, 'svc sandbox start --others 3'],
  [/--description-file\b|--no-check\b|--check-write\b/, 'lists create --description-file text'],
  [/profiles (?:rename|path)\b/, 'svc profiles rename old new'],
  [/--shard\b|--rejects\b|--isolate\b/, 'svc contacts delete --file old.csv --shard 1/4'],
  [/--names\b/, 'svc runs prune --names --older-than 90d'],
  [/CI_JOB_URL|\bjobUrl\b/, 'the link of CI_JOB_URL'],
  [/kept-code|compiled\.ts/, 'the kept-code of a command'],
]

/** Files whose texts and comments people read. */
const files = ['src', 'bin', 'docs']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path),
    ),
  )
  .concat('README.md', 'CONTRIBUTING.md')
  .filter((path) => /\.(?:ts|js|mjs|md|json|1)$/.test(path))

/** The text of a file, with the dashes of a manual page as they are shown. */
const textOf = (path: string): string =>
  readFileSync(join(root, path), 'utf8').replaceAll('\\-', '-')

test('no removed word is left', () => {
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((path) => {
    const lines = textOf(path).split('\n')
    return lines.flatMap((line, at) =>
      removed.some(([word]) => word.test(line)) ? [`${path}:${at + 1}: ${line.trim()}`] : [],
    )
  })
  expect(found).toEqual([])
})

test.each(removed)('%s would be found', (word, text) => {
  expect(text).toMatch(word)
})
