package main

import (
	"bytes"
	"fmt"
	"regexp"
	"time"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"
)

// notInIDs are the characters that SPDX identifiers do not have.
var notInIDs = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// spdx lists what is inside, each with its licence, in the form of SPDX 2.3.
func (r release) spdx(parts []component) ([]byte, error) {
	name := "chatvault-" + r.version
	const self = common.ElementID("chatvault")
	doc := &v2_3.Document{
		SPDXVersion: v2_3.Version, DataLicense: v2_3.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: name,
		DocumentNamespace: fmt.Sprintf("https://spdx.org/spdxdocs/%s-%s", name, r.commit),
		CreationInfo: &v2_3.CreationInfo{
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "chatvault-make-dist"}},
			Created:  r.time.Format(time.RFC3339),
		},
		Packages: []*v2_3.Package{{
			PackageName: "chatvault", PackageSPDXIdentifier: self, PackageVersion: r.version, PackageSourceInfo: "git commit " + r.commit,
			PackageDownloadLocation: "NOASSERTION", PackageLicenseConcluded: "MIT", PackageLicenseDeclared: "MIT", PackageCopyrightText: "NOASSERTION",
			PrimaryPackagePurpose: "APPLICATION",
		}},
		Relationships: []*v2_3.Relationship{{RefA: common.MakeDocElementID("", "DOCUMENT"), RefB: common.MakeDocElementID("", string(self)), Relationship: "DESCRIBES"}},
	}
	for _, c := range parts {
		id := "module-" + notInIDs.ReplaceAllString(c.path, "-")
		doc.Packages = append(doc.Packages, &v2_3.Package{
			PackageName: c.path, PackageSPDXIdentifier: common.ElementID(id), PackageVersion: c.version,
			PackageDownloadLocation: "NOASSERTION", PackageLicenseConcluded: c.licence, PackageLicenseDeclared: c.licence, PackageCopyrightText: "NOASSERTION",
			PrimaryPackagePurpose: "LIBRARY",
			PackageExternalReferences: []*v2_3.PackageExternalReference{{
				Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: "pkg:golang/" + c.path + "@" + c.version,
			}},
		})
		doc.Relationships = append(doc.Relationships, &v2_3.Relationship{
			RefA: common.MakeDocElementID("", string(self)), RefB: common.MakeDocElementID("", id), Relationship: "CONTAINS",
		})
	}
	var out bytes.Buffer
	err := json.Write(doc, &out, json.Indent(" "), json.EscapeHTML(false))
	return out.Bytes(), err
}
