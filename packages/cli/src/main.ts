export const main = (): void => {};
