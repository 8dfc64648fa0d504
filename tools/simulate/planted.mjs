/**
 * Mistakes to plant in the program, from `planted.txt`. A mistake is a section: its name, who finds it, and edits of files of `src`. What
 * stands behind `-` is in the file exactly once, and what stands behind `+` takes its place. Who finds it is a file of `test` and words of
 * the name of the test that fails, or the simulator within 60 s of a processor, among these `steps`, or all steps.
 */
import { readFileSync } from 'node:fs'

const text = readFileSync(new URL('planted.txt', import.meta.url), 'utf8')
const finder =
  /^found by (?:test\/(?<test>\S+): (?<words>.+)|the simulator(?:, steps: (?<steps>.+))?)$/

/** Throws at a line that is none of those: an edit must not be lost. */
function mistakeOf(section) {
  const [name, by, ...lines] = section.replace(/^#.*$/gm, '').trimEnd().split('\n')
  const { groups } = finder.exec(by) ?? {}
  if (groups === undefined) throw new Error(`planted.txt: ${name}: who finds it?`)
  const given = Object.entries(groups).filter(([, value]) => value !== undefined)
  return [name, { edits: editsOf(lines, name), ...Object.fromEntries(given) }]
}

function editsOf(lines, name) {
  const edits = []
  let [file, sign] = ['', '']
  for (const line of lines) {
    const before = sign
    sign = line[0]
    if (line.startsWith('src/')) file = line
    else if (sign === '-' && before !== '-') edits.push({ file, from: [line.slice(2)], to: [] })
    else if (sign === '-') edits.at(-1).from.push(line.slice(2))
    else if (sign === '+') edits.at(-1).to.push(line.slice(2))
    else throw new Error(`planted.txt: ${name}: what is "${line}"?`)
  }
  return edits.map((edit) => ({
    file: edit.file,
    from: edit.from.join('\n'),
    to: edit.to.join('\n'),
  }))
}

/** By their names. */
export const planted = new Map(text.split(/^## /m).slice(1).map(mistakeOf))
