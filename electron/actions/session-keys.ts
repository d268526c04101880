/** A single control character, as an agent types it into a session: it interrupts, ends or suspends what runs there. */
export const sessionKeys = /^[\u0003\u0004\u001a\u001c]$/;
