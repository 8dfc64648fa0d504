/** Runs a program on this process's own streams, to its end. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { SvcError, systemCode } from '../../errors.ts'
import type { Host } from '../../host.ts'

export interface Child {
  readonly program: string
  readonly words: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** A shell that somebody types into: it pays no heed to SIGTERM. */
  readonly isInteractive?: boolean
}

/**
 * Returns the program's exit code, 128 and the number when a signal ended it. Throws exit 127 when there is no such
 * program, and 126 when it cannot be run.
 */
export function runChild(host: Host, { program, words, env, isInteractive = false }: Child): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { env, stdio: 'inherit' })
    const onTerminal = host.isTerminal.stdin || host.isTerminal.stdout || host.isTerminal.stderr
    const stopListening = host.onSignal((signal) => {
      if (signal === 'SIGTERM') child.kill(isInteractive ? 'SIGHUP' : signal)
      // A terminal tells every process of the group itself; twice would mean "stop at once" to some.
      else if (!onTerminal) child.kill(signal)
    })
    child.once('error', (error) => {
      stopListening()
      const missing = systemCode(error) === 'ENOENT'
      const why = missing ? 'was not found' : `cannot be run: ${systemCode(error) ?? error.message}`
      reject(new SvcError('usage', `the command "${program}" ${why}`, { exitCode: missing ? 127 : 126, cause: error }))
    })
    child.once('exit', (code, signal) => {
      stopListening()
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
