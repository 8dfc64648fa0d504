/**
 * `npm run messages`: every text of src that people read, one on a line: its place, its kind and
 * the text. A value that the program puts in is shown as `…`.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** The code before a text, and the kind of the text. The first that matches counts. */
const kinds = [
  [/TypeError\((?:\s*)$/, 'internal'],
  [/(?:usageError|configError)\(\s*$|SvcError\(\s*'[^']*',\s*$/, 'error'],
  [/(?:SvcError|usageError|fileError)\([^;{}]*,\s*$|\bhint:\s*$|\bsay:\s*$/, 'hint'],
  [/\bnote\(\s*$|\bnotes?:\s*\[?\s*$|notes\.push\(\s*$/, 'note'],
  [/\bmessage:\s*$|askText\([^;{}]*$/, 'message'],
  [/(?:summary|description|usage):\s*$|(?:Option|Argument)\([^;{}]*$/, 'help'],
]

/** A regular expression of code, which can have quotes in it. */
const regExp =
  /(?<=(?:[(,=:[!&|?{;]|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//y

/** Returns where the literal or comment that starts at `start` ends, after its last sign. */
function endOf(code, start) {
  if (code.startsWith('//', start)) return (code.indexOf('\n', start) + 1 || code.length + 1) - 1
  if (code.startsWith('/*', start)) return code.indexOf('*/', start + 2) + 2
  const quote = code[start]
  let at = start + 1
  while (at < code.length && code[at] !== quote) {
    if (code[at] === '\\') at += 2
    else if (quote === '`' && code.startsWith('${', at)) at = endOfValue(code, at + 2)
    else at += 1
  }
  return at + 1
}

/** Returns where a `${…}` ends whose content starts at `start`. */
function endOfValue(code, start) {
  let depth = 1
  let at = start
  while (depth > 0 && at < code.length) {
    if (/['"`]/.test(code[at])) {
      at = endOf(code, at)
      continue
    }
    regExp.lastIndex = at
    if (regExp.test(code)) {
      at = regExp.lastIndex
      continue
    }
    if (code[at] === '{') depth += 1
    if (code[at] === '}') depth -= 1
    at += 1
  }
  return at
}

/** Returns the text that a literal shows, and the literals in the values that it takes. */
function textOf(literal) {
  const inner = []
  let text = ''
  let at = 1
  while (at < literal.length - 1) {
    if (literal[0] === '`' && literal.startsWith('${', at)) {
      const end = endOfValue(literal, at + 2)
      inner.push(...textsIn(literal.slice(at + 2, end - 1)))
      text += '…'
      at = end
    } else if (literal[at] === '\\') {
      text += { n: '\n' }[literal[at + 1]] ?? literal[at + 1]
      at += 2
    } else text += literal[at++]
  }
  return { text, inner }
}

/** Returns the texts of a piece of code, with the index of each. Texts joined by `+` are one. */
function textsIn(code) {
  const found = []
  const token = new RegExp(`//|/\\*|['"\`]|${regExp.source}`, 'g')
  let end = 0
  for (let hit = token.exec(code); hit !== null; hit = token.exec(code)) {
    if (hit[0].length > 2) continue
    const start = hit.index
    token.lastIndex = endOf(code, start)
    if (hit[0].length === 2) continue
    const { text, inner } = textOf(code.slice(start, token.lastIndex))
    const last = found.at(-1)
    if (last !== undefined && /^\s*\+\s*$/.test(code.slice(end, start))) last.text += text
    else found.push({ at: start, text, before: code.slice(0, start) })
    found.push(...inner.map((each) => ({ ...each, at: start })))
    end = token.lastIndex
  }
  return found
}

/** A text is a sentence if it has two words that no name of code looks like. */
const isSentence = (text) =>
  (text.match(/(?<![\w-])[A-Za-z][a-z]+(?![\w-])/g) ?? []).length >= 2 &&
  / /.test(text) &&
  !isCode.test(text.trim())

/** Commands to type, statements of SQL, and patterns of times. */
const isCode = /^(?:svc |[A-Z]{4,} |AND |#!|@chcp|yyyy)/

const byName = (one, other) => (one < other ? -1 : 1)
for (const path of readdirSync('src', { recursive: true }).toSorted(byName)) {
  // What the sandbox answers is as the service writes it.
  if (!path.endsWith('.ts') || /^sandbox\/(?!faults)/.test(path)) continue
  const code = readFileSync(`src/${path}`, 'utf8')
  for (const { at, text, before } of textsIn(code)) {
    if (!isSentence(text)) continue
    const [, kind = 'text'] = kinds.find(([pattern]) => pattern.test(before.slice(-300))) ?? []
    const line = code.slice(0, at).split('\n').length
    console.log([`src/${path}:${line}`, kind, text.replaceAll(/\s+/g, ' ').trim()].join('\t'))
  }
}
