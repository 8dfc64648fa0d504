/** `npm run check:width`: no code is wider than 100 columns, but rows and literals of tests. */
import { readdirSync, readFileSync } from 'node:fs'

const width = 100

/** A row of a table of cases, or a literal that is long itself. */
const text = / \| |'[^']{60}|"[^"]{60}|`[^`]{60}|\/(?:\\.|[^/\\]){60}/

const files = ['src', 'bin', 'test', 'tools'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:ts|js|mjs|cjs)$/.test(path)),
)
for (const file of files.toSorted()) {
  const lines = readFileSync(file, 'utf8').split('\n')
  for (const [at, line] of lines.entries()) {
    const isText = file.startsWith('test/') && text.test(line)
    if (line.length <= width || isText) continue
    console.log(`${file}:${at + 1}: ${line.length} columns`)
    process.exitCode = 1
  }
}
