/** What is signed, sent and waited for. */
export const wires = []
