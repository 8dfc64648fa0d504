import { columnsFor } from '../../output/columns.ts'
import type { Command } from '@commander-js/extra-typings'
import { parseCount } from '../../values.ts'
import { defineCommand, examples, type Run } from '../../cli/verb.ts'
import type { View } from '../../output/result.ts'
import type { Signed } from '../../resources/documents.ts'

const headers = ['X-Service-Key', 'X-Service-Timestamp', 'X-Service-Signature'].map((name) => `headers.${name}`)

const signView: View<Signed> = {
  columns: columnsFor(
    'timestamp',
    'signedBytes as BYTES',
    'headers.X-Service-Key as KEY',
    'headers.X-Service-Signature as SIGNATURE',
  ),
  fields: [
    ...['method', 'path', 'timestamp', 'headers', ...headers],
    ...['signedText', 'signedBytes', 'curl', 'verified', 'verified.verdict', 'verified.mistakes'],
  ],
  schema: async () => (await import('../../resources/documents.ts')).Signed,
}

export function sign(program: Command, run: Run): void {
  defineCommand(program, 'sign', 'sign a request, or find out what is wrong with a signature')
    .description(
      'Sign a request without sending it, for developers of other clients: print the three headers, the exact text that is\n' +
        'signed, a curl command, or what is wrong with your own signature.',
    )
    .usage('[options] [<method> <path>]')
    .argument('[method]', 'GET, POST, PATCH; required by --curl, used by --verify')
    .argument('[path]', 'for example /v1/lists; it is not part of what is signed')
    .option('--body <text>', 'the raw body')
    .option('--body-file <path|->', 'read the raw body from a file, or - for standard input')
    .option('--timestamp <ms>', 'Unix time in milliseconds (default: now)', (word) =>
      parseCount(word, '--timestamp', { min: 1 }),
    )
    .option('--explain', 'print the exact text that is signed, with its byte count')
    .option('--curl', 'print a curl command that works for 5 minutes')
    .option('--verify <signature>', 'check this signature, and name the usual mistake if it is wrong')
    .addHelpText(
      'after',
      `
The text that is signed is the timestamp, a dot and the raw body: svc help
signing. If --verify finds a wrong signature, the exit code is 6.
${examples(
  `svc sign POST /v1/lists --body '{"name":"Spring"}' --curl`,
  'svc sign --timestamp 1767225600000 --body-file body.json --explain',
  `svc sign --timestamp 1767225600000 --body '{}' --json`,
)}`,
    )
    .action(
      run(signView, async (context, method, path, options) => {
        const { signing } = await import('./signing.ts')
        return signing(context, { ...options, method, path })
      }),
    )
}
