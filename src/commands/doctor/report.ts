/** The findings as they come, in words or as data; the exit code is that of the first failure. */
import { document, type Document, type Text } from '../../output/result.ts'
import { wrap } from '../../output/text/width.ts'
import type { Context } from '../../cli/verb.ts'
import type { Finding } from '../../resources/documents.ts'
import { findings } from './findings.ts'
import { asBegun } from '../../cli/begun.ts'

export function doctorOutput(context: Context, checkWrite: boolean): Text<Finding> {
  const found: Finding[] = []
  const code = (): number => found.find(({ state }) => state === 'fail')?.exitCode ?? 0
  async function data(): Promise<Document<Finding>> {
    for await (const finding of typable(context, findings(context, checkWrite))) found.push(finding)
    return document({ status: code() === 0 ? 'ok' : 'failed', exitCode: code(), checks: found }, found, code())
  }
  async function* lines(): AsyncGenerator<string> {
    for await (const finding of typable(context, findings(context, checkWrite))) {
      found.push(finding)
      yield lineOf(finding, context.print.width ?? 100)
    }
  }
  return {
    kind: 'text',
    text: lines(),
    data,
    // Known when all is printed; the printer asks for it then.
    get exitCode() {
      return code()
    },
  }
}

/** Findings whose commands can be typed as they stand. */
async function* typable({ host }: Context, each: AsyncIterable<Finding>): AsyncGenerator<Finding> {
  for await (const finding of each)
    yield { ...finding, remedy: finding.remedy === null ? null : asBegun(host, finding.remedy) }
}

/** `ok    clock          0s off`, with the remedy below it. A command that stands on a line of its own is not cut. */
function lineOf({ state, check, message, remedy }: Finding, width: number): string {
  const head = `${(state === 'fail' ? 'FAIL' : state).padEnd(6)}${check.padEnd(15)}`
  // Where the words would be squeezed, they stand below.
  const isNarrow = width < 60
  const indent = ' '.repeat(isNarrow ? 2 : head.length)
  const lines = [message, ...(remedy ?? '').split('\n')]
    .filter((line) => line !== '')
    .flatMap((line) => (line.startsWith('  ') ? [line] : wrap(line, width - indent.length)))
    .map((line) => `${indent}${line}\n`)
  return isNarrow ? `${head.trimEnd()}\n${lines.join('')}` : `${head}${lines.join('').slice(head.length)}`
}
