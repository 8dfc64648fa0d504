/** Numbers for `npm run figures`. */
import { appendFileSync } from 'node:fs'

/** Notes a number that a test measured; without SVC_FIGURES, the file that collects them, it does nothing. */
export function figure(name: string, value: number): void {
  const path = process.env['SVC_FIGURES']
  if (path !== undefined && path !== '')
    appendFileSync(path, `${JSON.stringify({ name, value })}\n`)
}

/** How much of something a test does: `usual` in `npm test`, more when the figures ask for it. */
export function howMany(what: string, usual: number): number {
  const wanted = Number(process.env[`SVC_FIGURES_${what}`] ?? '')
  return Number.isSafeInteger(wanted) && wanted > 0 ? wanted : usual
}

/** How many random cases a test tries: `npm run figures -- random` tries ten times as many. */
export function atRandom(usual: number): number {
  return usual * howMany('RANDOM', 1)
}

/** Milliseconds that a wait may take: as promised where figures are measured, else more, for a busy machine; a hang takes longer. */
export function patient(promised: number): number {
  return (process.env['SVC_FIGURES'] ?? '') === '' ? promised + 8_000 : promised
}
