/**
 * Makes a script that runs `script` with the first element that `selector` finds, as `element`, as
 * soon as it is in the page: before the browser paints, so before effects of components run.
 */
export function whenInserted(selector: string, script: string): string {
  return `
    new MutationObserver((_, observer) => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (element === null) return;
      observer.disconnect();
      ${script}
    }).observe(document, { childList: true, subtree: true });
  `;
}
