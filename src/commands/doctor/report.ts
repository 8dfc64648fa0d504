/** The findings as they come, in words or as data; the exit code is that of the first failure. */
import { document, type Document, type Text } from '../../output/result.ts'
import type { Tools } from '../../cli/verb.ts'
import type { Finding } from './finding.ts'
import { findings } from './findings.ts'

export async function doctorOutput(tools: Tools, checkWrite: boolean): Promise<Text | Document<Finding>> {
  const found: Finding[] = []
  const code = (): number => found.find(({ state }) => state === 'fail')?.exitCode ?? 0
  if (tools.print.format !== 'table' || tools.print.fields !== undefined) {
    for await (const finding of findings(tools, checkWrite)) found.push(finding)
    const exitCode = code()
    return document({ status: exitCode === 0 ? 'ok' : 'failed', exitCode, checks: found }, found, exitCode)
  }
  async function* lines(): AsyncGenerator<string> {
    for await (const finding of findings(tools, checkWrite)) {
      found.push(finding)
      yield lineOf(finding, tools.print.width ?? 100)
    }
  }
  return {
    kind: 'text',
    text: lines(),
    // Known when all is printed; the printer asks for it then.
    get exitCode() {
      return code()
    },
  }
}

const stateWidth = 6
const checkWidth = 15

/** `ok    clock          0s off`, with the remedy below it. */
function lineOf({ state, check, message, remedy }: Finding, width: number): string {
  const margin = ' '.repeat(stateWidth + checkWidth)
  const room = Math.max(30, width - margin.length)
  const head = `${(state === 'fail' ? 'FAIL' : state).padEnd(stateWidth)}${check.padEnd(checkWidth)}`
  const lines = [message, ...(remedy ?? '').split('\n')]
    .filter((line) => line !== '')
    .flatMap((line) => wrap(line, room))
  return lines.map((line, n) => `${n === 0 ? head : margin}${line}\n`).join('')
}

/** At blanks; a command that stands on a line of its own is not cut. */
function wrap(text: string, room: number): string[] {
  if (text.startsWith('  ')) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}
