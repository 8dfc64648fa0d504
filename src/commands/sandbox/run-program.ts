/** Runs another program on the streams of this process, and passes signals on to it. */
import { SvcError, systemCode } from '../../errors.ts'
import type { Host } from '../../host.ts'

/**
 * Runs a program. Resolves to its exit code, or 128 plus the number of the signal that ended it. Rejects with exit code 127 if there
 * is no such program, and with 126 if it cannot be run.
 */
export function runProgram(
  host: Host,
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = host.spawn(program, args, { env, stdio: 'inherit' })
    const onTerminal = Object.values(host.isTerminal).includes(true)
    const stopListening = host.onSignal((signal) => {
      // From a terminal, the program gets every signal but SIGTERM itself. A second Ctrl-C could tell it to stop at once.
      if (signal === 'SIGTERM' || !onTerminal) child.kill(signal)
    })
    child.once('error', (error) => {
      stopListening()
      reject(startError(program, error))
    })
    child.once('exit', (code, signal) => {
      stopListening()
      resolve(code ?? 128 + (host.computer.signals[signal ?? ''] ?? 0))
    })
  })
}

/** The error for a program that did not start, with the exit code of a shell. */
function startError(program: string, error: Error) {
  const code = systemCode(error)
  const isMissing = code === 'ENOENT'
  const problem = isMissing ? 'was not found' : `cannot be run: ${code ?? error.message}`
  const exitCode = isMissing ? 127 : 126
  return new SvcError('usage', `the command "${program}" ${problem}`, {
    exitCode,
    cause: error,
  })
}
