/** Resolves after `ms`, and at once when the sandbox closes. */
export function wait(ms: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      closing.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (closing.aborted) end()
    else closing.addEventListener('abort', end, { once: true })
  })
}
