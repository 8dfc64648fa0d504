/** `npm run messages`: each text of src that people read: place, kind, text (`…`: a value). */
import { readdirSync, readFileSync } from 'node:fs'
import { parseAst } from 'vitest/node'

/** The kind of the arguments of a call, the first and the others, and of a member's value. */
const calls = {
  __proto__: null,
  TypeError: ['internal'],
  usageError: ['error', 'hint'],
  configError: ['error', 'hint'],
  fileError: ['hint', 'hint'],
  SvcError: ['error', 'error'],
  note: ['note'],
  askText: ['message', 'message'],
}
const members = {
  __proto__: null,
  ...{ hint: 'hint', say: 'hint', note: 'note', notes: 'note', message: 'message' },
  ...{ summary: 'help', description: 'help', usage: 'help' },
}

/** Commands to type, statements of SQL, and patterns of times. */
const nouns = 'api completion contacts doctor employees help lists profiles runs sandbox tickets'
const isCode = new RegExp(
  `^(?:svc (?:[-_]|${nouns.replaceAll(' ', '|')})|[A-Z]{4,} |AND |#!|@chcp|yyyy)`,
)

/** A string is a sentence if it has two words that no name of code looks like. */
const isSentence = (text) =>
  (text.match(/(?<![\w-])[A-Za-z][a-z]+(?![\w-])/g) ?? []).length >= 2 &&
  / /.test(text) &&
  !isCode.test(text.trim())

/** Returns the text that a node shows, and adds to `inner` what stands in its values. */
function textOf(node, inner) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral') {
    inner.push(...node.expressions)
    return node.quasis.map(({ value }) => value.cooked).join('…')
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined
  const [left, right] = [textOf(node.left, inner), textOf(node.right, inner)]
  return left === undefined || right === undefined ? undefined : left + right
}

const nameOf = (node) => node?.name ?? node?.property?.name ?? node?.value

/** Adds the strings below a node, each with its place and kind. */
function collect(node, kind, texts) {
  if (node === null || typeof node !== 'object') return
  if (Array.isArray(node)) return node.forEach((each) => collect(each, kind, texts))
  const inner = []
  const text = textOf(node, inner)
  if (text !== undefined) {
    texts.push({ at: node.start, kind, text })
    return collect(inner, 'text', texts)
  }
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const name = nameOf(node.callee)
    const [first, others = first] =
      calls[name] ?? (/Option$|^Argument$/.test(name) ? ['help'] : [kind])
    collect(node.callee, 'text', texts)
    return node.arguments.forEach((each, at) => collect(each, at === 0 ? first : others, texts))
  }
  if (node.type === 'Property') return collect(node.value, members[nameOf(node.key)] ?? kind, texts)
  for (const child of Object.values(node)) collect(child, kind, texts)
}

for (const path of readdirSync('src', { recursive: true }).toSorted((one, other) =>
  one.localeCompare(other),
)) {
  // What the sandbox answers is as the service writes it.
  if (!/(?<!\.d)\.ts$/.test(path) || /^sandbox\/(?!faults)/.test(path)) continue
  const code = readFileSync(`src/${path}`, 'utf8')
  const texts = []
  collect(parseAst(code, { lang: 'ts' }).body, 'text', texts)
  for (const { at, kind, text } of texts.filter(({ text }) => isSentence(text))) {
    const line = code.slice(0, at).split('\n').length
    console.log([`src/${path}:${line}`, kind, text.replaceAll(/\s+/g, ' ').trim()].join('\t'))
  }
}
